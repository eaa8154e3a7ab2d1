import { Component, computed, signal } from '@angular/core';
import { DecimalPipe } from '@angular/common';

@Component({
  selector: 'app-invoice',
  standalone: true,
  imports: [DecimalPipe],
  template: `
    <h1>Invoice {{ number }}</h1>
    <p><strong>Werkstatt Blaufuß</strong> · Mühlgasse 9 · 07743 Jena</p>
    <p>Billed to: <em>Aurelia Nkemelu</em>, date: 14 March 2024</p>
    <table>
      <tr><th>Item</th><th>Quantity</th><th>Unit price</th><th>Amount</th></tr>
      @for (line of lines(); track line.item) {
        <tr>
          <td>{{ line.item }}</td>
          <td>{{ line.quantity }}</td>
          <td>{{ line.price | number: '1.2-2' }}</td>
          <td>{{ line.quantity * line.price | number: '1.2-2' }}</td>
        </tr>
      }
      <tr class="total"><td>Total</td><td></td><td></td><td>{{ total() | number: '1.2-2' }}</td></tr>
    </table>
    <h2>Payment</h2>
    <ul>
      @for (term of terms; track term) {
        <li>{{ term }}</li>
      }
    </ul>
    <p>Thank you for your order!</p>
  `,
  styles: [`
    :host { display: block; font: 17px/1.5 "Liberation Sans", Arial, sans-serif; margin: 40px 120px; color: #222; }
    h1 { background: #1d4e89; color: white; padding: 14px 20px; }
    table { width: 100%; border-collapse: collapse; margin: 20px 0; }
    th, td { padding: 8px 12px; border-bottom: 1px solid #999; text-align: right; }
    th:first-child, td:first-child { text-align: left; }
    .total td { font-weight: bold; border-top: 3px solid #1d4e89; }
  `],
})
export class InvoiceComponent {
  readonly number = '2024-0317';
  readonly terms = ['Due within 14 days', 'Reference: BLF-0317', 'Please pay by bank transfer'];
  readonly lines = signal([
    { item: 'Bookshelf, oak', quantity: 1, price: 480 },
    { item: 'Drawer handle', quantity: 6, price: 7.5 },
    { item: 'Delivery', quantity: 1, price: 35 },
  ]);
  readonly total = computed(() => this.lines().reduce((sum, line) => sum + line.quantity * line.price, 0));
}
