import React from "react";
import { createRoot } from "react-dom/client";

type Room = { number: string; theme: string; works: number };

const rooms: Room[] = [
  { number: "I", theme: "Harbour lights", works: 14 },
  { number: "II", theme: "Letters home", works: 9 },
  { number: "III", theme: "Festival night", works: 21 },
];

const cell: React.CSSProperties = { padding: "8px 40px", borderBottom: "2px solid #f5a623" };

const Hero: React.FC<{ title: string }> = ({ title, children }: React.PropsWithChildren<{ title: string }>) => (
  <section style={{ background: "#f5a623", padding: "30px 0" }}>
    <h1 style={{ fontSize: 48, margin: 0 }}>{title}</h1>
    {children}
  </section>
);

function App() {
  return (
    <div style={{ fontFamily: '"DejaVu Sans", sans-serif', color: "#222", textAlign: "center" }}>
      <style>{"body { margin: 0 }"}</style>
      <Hero title="Paper Lanterns">
        <h2>Χάρτινα φανάρια: an exhibition in six rooms</h2>
      </Hero>
      <p>
        <strong>12 May – 30 June</strong>, daily except Mondays, 10:00 to 18:00
      </p>
      <table style={{ margin: "20px auto", borderCollapse: "collapse" }}>
        <thead>
          <tr>
            <th style={cell}>Room</th>
            <th style={cell}>Theme</th>
            <th style={cell}>Works</th>
          </tr>
        </thead>
        <tbody>
          {rooms.map((room) => (
            <tr key={room.number}>
              <td style={cell}>{room.number}</td>
              <td style={cell}>{room.theme}</td>
              <td style={cell}>{room.works}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>Admission</h3>
      <ul style={{ listStyle: "none", padding: 0 }}>
        <li>Adults: 8 euros</li>
        <li>Students: 5 euros</li>
        <li>Children: free</li>
      </ul>
      <p>
        <a
          href="https://lanterns.example/visit"
          style={{ background: "#222", color: "white", padding: "10px 24px", textDecoration: "none", borderRadius: 20 }}
        >
          Plan your visit
        </a>
      </p>
      <p>
        <em>Kunsthaus am Wehr, Bühnenweg 2</em>
      </p>
    </div>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
