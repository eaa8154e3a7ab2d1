import { Component, Input, Pipe, PipeTransform } from '@angular/core';
import { CommonModule } from '@angular/common';

interface Day {
  name: string;
  sky: string;
  high: number;
  rain: number;
}

@Pipe({ name: 'rain', standalone: true })
export class RainPipe implements PipeTransform {
  transform(millimetres: number): string {
    return millimetres ? `Rain: ${millimetres} mm` : 'no rain';
  }
}

@Component({
  selector: 'app-day',
  standalone: true,
  imports: [RainPipe],
  template: `
    <article class="day">
      <h2>{{ day.name }}</h2>
      <p class="sky">{{ day.sky }}</p>
      <p class="degrees">{{ day.high }}°</p>
      <p>{{ day.rain | rain }}</p>
    </article>
  `,
  styles: [`
    .day { background: #d3e9fc; width: 240px; padding: 16px; border-radius: 12px; font-size: 20px; }
    .degrees { font-size: 40px; margin: 8px 0; }
  `],
})
export class DayComponent {
  @Input({ required: true }) day!: Day;
}

@Component({
  selector: 'app-root',
  standalone: true,
  imports: [CommonModule, DayComponent],
  template: `
    <section class="board">
      <h1>Weather in {{ city }}</h1>
      <div class="days">
        <app-day *ngFor="let day of days" [day]="day"></app-day>
      </div>
      <p class="mean">Mean high: {{ mean }} degrees</p>
    </section>
  `,
  styles: [`
    .board { font-family: Arial, sans-serif; text-align: center; padding: 20px; }
    .days { display: flex; justify-content: center; gap: 24px; }
    .mean { font-size: 22px; font-weight: bold; }
  `],
})
export class WeatherComponent {
  city = 'Reykjavík';
  days: Day[] = [
    { name: 'Friday', sky: 'cloudy', high: 9, rain: 0 },
    { name: 'Saturday', sky: 'showers', high: 7, rain: 12 },
    { name: 'Sunday', sky: 'sunny', high: 11, rain: 0 },
  ];

  get mean(): number {
    return this.days.reduce((sum, day) => sum + day.high, 0) / this.days.length;
  }
}
