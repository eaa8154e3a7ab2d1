import React from "react";

const hours = [
  { day: "Tuesday to Friday", morning: "06:30 – 12:30", afternoon: "15:00 – 18:30" },
  { day: "Saturday", morning: "06:30 – 13:00", afternoon: "closed" },
  { day: "Sunday", morning: "07:00 – 11:30", afternoon: "closed" },
];

const breads = [
  { name: "Rye with walnuts", price: "4.20 €" },
  { name: "Pain de campagne", price: "3.60 €" },
  { name: "Brioche tressée", price: "5.10 €" },
];

const cell = { borderBottom: "1px solid #b98d4f", padding: "8px 14px", textAlign: "left" };

export default function Bakery() {
  return (
    <main style={{ fontFamily: "Arial, sans-serif", maxWidth: 760, margin: "32px auto", color: "#3b2a1a", fontSize: 18 }}>
      <h1 style={{ fontSize: 40, marginBottom: 4 }}>Boulangerie Épi d'Or</h1>
      <p style={{ fontStyle: "italic", color: "#7a5c3a", marginTop: 0 }}>
        Sourdough since 1962, in the Rue des Tanneurs
      </p>
      <h2>Opening hours</h2>
      <table style={{ borderCollapse: "collapse", width: "100%" }}>
        <thead>
          <tr style={{ background: "#f2dcae" }}>
            <th style={cell}>Day</th>
            <th style={cell}>Morning</th>
            <th style={cell}>Afternoon</th>
          </tr>
        </thead>
        <tbody>
          {hours.map((row) => (
            <tr key={row.day}>
              <td style={cell}>{row.day}</td>
              <td style={cell}>{row.morning}</td>
              <td style={cell}>{row.afternoon}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Breads of the week</h2>
      <ol>
        {breads.map(({ name, price }) => (
          <li key={name}>
            {name}, <strong>{price}</strong>
          </li>
        ))}
      </ol>
      <blockquote style={{ margin: "20px 0", padding: "10px 18px", borderLeft: "6px solid #c9862b", background: "#fdf6e6" }}>
        Order before 17:00 and collect the next morning.
      </blockquote>
      <footer style={{ borderTop: "1px solid #b98d4f", paddingTop: 12 }}>Telephone: 03 55 01 77 20</footer>
    </main>
  );
}
