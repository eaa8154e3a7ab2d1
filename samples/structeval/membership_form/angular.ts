import { Component } from '@angular/core';
import { CommonModule } from '@angular/common';
import { FormsModule } from '@angular/forms';

@Component({
  selector: 'app-membership-form',
  standalone: true,
  imports: [CommonModule, FormsModule],
  template: `
    <form (ngSubmit)="send()">
      <h1>Join the rowing club</h1>
      <p>Season 2025, boathouse at Lake Żywiec</p>
      <label for="name">Full name</label>
      <input type="text" id="name" name="name" [(ngModel)]="name">
      <label for="boat">Boat class</label>
      <select id="boat" name="boat" [(ngModel)]="boat">
        <option *ngFor="let kind of boats" [value]="kind">{{ kind }}</option>
      </select>
      <fieldset>
        <legend>Training days</legend>
        <ng-container *ngFor="let day of days">
          <input type="checkbox" [id]="day.name" [name]="day.name" [(ngModel)]="day.chosen">
          <label [for]="day.name">{{ day.name }}</label>
        </ng-container>
      </fieldset>
      <p>Yearly fee: <strong>145 zł</strong></p>
      <button type="submit">Send application</button>
    </form>
  `,
  styles: [`
    :host { display: block; font-family: Arial, sans-serif; font-size: 18px; background: #eef3f7; padding: 1px; }
    form { background: white; width: 560px; margin: 30px auto; padding: 28px 36px; border: 1px solid #c3d1dd; }
    label { display: block; margin: 14px 0 4px; font-weight: bold; }
    input[type="text"], select { width: 100%; box-sizing: border-box; padding: 8px; font-size: 17px; }
    fieldset { margin: 18px 0; }
    fieldset label { display: inline; font-weight: normal; margin-right: 20px; }
    button { background: #c62828; color: white; border: 0; padding: 12px 30px; font-size: 18px; }
  `],
})
export class MembershipFormComponent {
  name = 'Jadwiga Sowa';
  boats = ['Single scull', 'Double scull', 'Coxed four'];
  boat = 'Double scull';
  days = [
    { name: 'Tuesday', chosen: true },
    { name: 'Thursday', chosen: false },
    { name: 'Saturday', chosen: true },
  ];

  send(): void {
    console.log(`${this.name} applies for ${this.boat}`);
  }
}
