import { Component, NgModule } from '@angular/core';
import { BrowserModule } from '@angular/platform-browser';

@Component({
  selector: 'app-root',
  standalone: false,
  template: `
    <section class="hero">
      <h1>Paper Lanterns</h1>
      <h2>Χάρτινα φανάρια: an exhibition in six rooms</h2>
    </section>
    <p><strong>12 May – 30 June</strong>, daily except Mondays, 10:00 to 18:00</p>
    <table>
      <tr><th>Room</th><th>Theme</th><th>Works</th></tr>
      <tr *ngFor="let room of rooms">
        <td>{{ room.number }}</td><td>{{ room.theme }}</td><td>{{ room.works }}</td>
      </tr>
    </table>
    <h3>Admission</h3>
    <ul>
      <li *ngFor="let price of prices">{{ price }}</li>
    </ul>
    <p><a href="https://lanterns.example/visit">Plan your visit</a></p>
    <p><em>Kunsthaus am Wehr, Bühnenweg 2</em></p>
  `,
  styles: [`
    :host { display: block; font-family: "DejaVu Sans", sans-serif; color: #222; text-align: center; }
    .hero { background: #f5a623; padding: 30px 0; }
    .hero h1 { font-size: 48px; margin: 0; }
    table { margin: 20px auto; border-collapse: collapse; }
    th, td { padding: 8px 40px; border-bottom: 2px solid #f5a623; }
    ul { list-style: none; padding: 0; }
    a { background: #222; color: white; padding: 10px 24px; text-decoration: none; border-radius: 20px; }
  `],
})
export class AppComponent {
  rooms = [
    { number: 'I', theme: 'Harbour lights', works: 14 },
    { number: 'II', theme: 'Letters home', works: 9 },
    { number: 'III', theme: 'Festival night', works: 21 },
  ];
  prices = ['Adults: 8 euros', 'Students: 5 euros', 'Children: free'];
}

@NgModule({
  declarations: [AppComponent],
  imports: [BrowserModule],
  bootstrap: [AppComponent],
})
export class AppModule {}
