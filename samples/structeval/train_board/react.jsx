const departures = [
  { time: "14:05", destination: "Malmö", track: 4, remark: "on time" },
  { time: "14:22", destination: "Stockholm", track: 7, remark: "12 minutes late", late: true },
  { time: "14:40", destination: "Uddevalla", track: 2, remark: "on time" },
  { time: "15:10", destination: "Oslo", track: 9, remark: "bus from Halden" },
];

const css = `
  body { background: #0b1f3a; color: #f4f6fa; font-family: "DejaVu Sans", sans-serif; margin: 40px; font-size: 24px; }
  h1 { color: #ffd54a; margin: 0 0 20px; }
  table { width: 100%; border-collapse: collapse; }
  th { text-align: left; color: #9fb4d1; font-weight: normal; }
  td { padding: 12px 0; border-top: 1px solid #33507a; }
  .late { color: #ff8a80; font-weight: bold; }
  footer { margin-top: 24px; }
`;

export function Board() {
  return (
    <>
      <style>{css}</style>
      <h1>Departures from Göteborg C</h1>
      <table>
        <thead>
          <tr>
            <th>Time</th>
            <th>Destination</th>
            <th>Track</th>
            <th>Remark</th>
          </tr>
        </thead>
        <tbody>
          {departures.map((train) => (
            <tr key={train.time}>
              <td>{train.time}</td>
              <td>{train.destination}</td>
              <td>{train.track}</td>
              <td className={train.late ? "late" : undefined}>{train.remark}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <footer>Updated at 13:58</footer>
    </>
  );
}
