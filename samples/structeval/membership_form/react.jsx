import React, { useState } from "react";

const css = `
  body { margin: 0; background: #eef3f7; }
  form { font-family: Arial, sans-serif; font-size: 18px; background: white; width: 560px; margin: 30px auto; padding: 28px 36px; border: 1px solid #c3d1dd; }
  label { display: block; margin: 14px 0 4px; font-weight: bold; }
  input[type="text"], select { width: 100%; box-sizing: border-box; padding: 8px; font-size: 17px; }
  fieldset { margin: 18px 0; }
  fieldset label { display: inline; font-weight: normal; margin-right: 20px; }
  button { background: #c62828; color: white; border: 0; padding: 12px 30px; font-size: 18px; }
`;

const DAYS = ["Tuesday", "Thursday", "Saturday"];

export default function MembershipForm() {
  const [name, setName] = useState("Jadwiga Sowa");
  const [boat, setBoat] = useState("Double scull");
  const [days, setDays] = useState(["Tuesday", "Saturday"]);

  const toggle = (day) =>
    setDays((chosen) => (chosen.includes(day) ? chosen.filter((d) => d !== day) : [...chosen, day]));

  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <style>{css}</style>
      <h1>Join the rowing club</h1>
      <p>Season 2025, boathouse at Lake Żywiec</p>
      <label htmlFor="name">Full name</label>
      <input type="text" id="name" value={name} onChange={(event) => setName(event.target.value)} />
      <label htmlFor="boat">Boat class</label>
      <select id="boat" value={boat} onChange={(event) => setBoat(event.target.value)}>
        <option>Single scull</option>
        <option>Double scull</option>
        <option>Coxed four</option>
      </select>
      <fieldset>
        <legend>Training days</legend>
        {DAYS.map((day) => (
          <React.Fragment key={day}>
            <input type="checkbox" id={day} checked={days.includes(day)} onChange={() => toggle(day)} />
            <label htmlFor={day}>{day}</label>
          </React.Fragment>
        ))}
      </fieldset>
      <p>
        Yearly fee: <strong>145 zł</strong>
      </p>
      <button type="submit">Send application</button>
    </form>
  );
}
