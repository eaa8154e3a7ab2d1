import { Component } from '@angular/core';
import { CommonModule } from '@angular/common';

@Component({
  selector: 'app-pricing',
  standalone: true,
  imports: [CommonModule],
  template: `
    <div class="page">
      <h1>Bicycle repair plans</h1>
      <p>Prices per year, spare parts not included</p>
      <div class="plans">
        <div *ngFor="let plan of plans" class="plan" [class.best]="plan.best">
          <h2>{{ plan.name }}</h2>
          <p class="price">{{ plan.price }} €</p>
          <ul>
            <li *ngFor="let service of plan.services">{{ service }}</li>
          </ul>
          <button type="button">Choose {{ plan.name }}</button>
        </div>
      </div>
    </div>
  `,
  styles: [`
    .page { font-family: Arial, sans-serif; background: #f4f4f8; padding: 30px; text-align: center; }
    .plans { display: flex; justify-content: center; gap: 28px; }
    .plan { background: white; width: 300px; padding: 20px; border: 1px solid #ccc; border-radius: 10px; font-size: 18px; }
    .plan.best { border: 4px solid #2e7d32; }
    .price { font-size: 34px; font-weight: bold; }
    .plan ul { list-style: none; padding: 0; line-height: 1.7; }
    button { background: #2e7d32; color: white; font-size: 18px; padding: 10px 26px; border: 0; border-radius: 6px; }
  `],
})
export class PricingComponent {
  plans = [
    { name: 'Commuter', price: 49, best: false, services: ['One check-up', 'Brakes adjusted'] },
    { name: 'Tourer', price: 89, best: true, services: ['Two check-ups', 'Wheels trued'] },
    { name: 'Courier', price: 159, best: false, services: ['Monthly check-up', 'Same-day repair'] },
  ];
}
