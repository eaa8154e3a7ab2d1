import { Component } from '@angular/core';
import { CommonModule } from '@angular/common';

interface Hours {
  day: string;
  morning: string;
  afternoon: string;
}

@Component({
  selector: 'app-root',
  standalone: true,
  imports: [CommonModule],
  template: `
    <main>
      <h1>Boulangerie Épi d'Or</h1>
      <p class="motto">Sourdough since 1962, in the Rue des Tanneurs</p>
      <h2>Opening hours</h2>
      <table>
        <thead>
          <tr><th>Day</th><th>Morning</th><th>Afternoon</th></tr>
        </thead>
        <tbody>
          <tr *ngFor="let row of hours">
            <td>{{ row.day }}</td><td>{{ row.morning }}</td><td>{{ row.afternoon }}</td>
          </tr>
        </tbody>
      </table>
      <h2>Breads of the week</h2>
      <ol>
        <li *ngFor="let bread of breads">{{ bread.name }}, <strong>{{ bread.price }} €</strong></li>
      </ol>
      <blockquote>Order before 17:00 and collect the next morning.</blockquote>
      <footer>Telephone: 03 55 01 77 20</footer>
    </main>
  `,
  styles: [`
    main { font-family: Arial, sans-serif; max-width: 760px; margin: 32px auto; color: #3b2a1a; font-size: 18px; }
    h1 { font-size: 40px; margin-bottom: 4px; }
    .motto { font-style: italic; color: #7a5c3a; margin-top: 0; }
    table { border-collapse: collapse; width: 100%; }
    th { background: #f2dcae; }
    th, td { border-bottom: 1px solid #b98d4f; padding: 8px 14px; text-align: left; }
    blockquote { margin: 20px 0; padding: 10px 18px; border-left: 6px solid #c9862b; background: #fdf6e6; }
    footer { border-top: 1px solid #b98d4f; padding-top: 12px; }
  `],
})
export class AppComponent {
  hours: Hours[] = [
    { day: 'Tuesday to Friday', morning: '06:30 – 12:30', afternoon: '15:00 – 18:30' },
    { day: 'Saturday', morning: '06:30 – 13:00', afternoon: 'closed' },
    { day: 'Sunday', morning: '07:00 – 11:30', afternoon: 'closed' },
  ];
  breads = [
    { name: 'Rye with walnuts', price: '4.20' },
    { name: 'Pain de campagne', price: '3.60' },
    { name: 'Brioche tressée', price: '5.10' },
  ];
}
