import { useMemo } from "react";

const styles = `
  .page { font: 18px/1.5 Arial, sans-serif; color: #1f2d1f; background: white; }
  header { background: #2f6b3a; color: white; padding: 24px 48px; }
  header h1 { margin: 0; }
  main { padding: 12px 48px; }
  .facts { display: flex; gap: 24px; list-style: none; padding: 0; }
  .facts li { background: #e4f0df; padding: 12px 20px; border-radius: 8px; }
  table { border-collapse: collapse; }
  th, td { border: 1px solid #7fa184; padding: 6px 24px; text-align: left; }
  .warning { border-left: 6px solid #c0392b; padding-left: 16px; font-weight: bold; }
`;

function Waypoint({ name, metres }) {
  return <li>{`${name}, ${metres} m`}</li>;
}

function TrailGuide() {
  const waypoints = useMemo(
    () => [
      ["Car park at the chapel", 1480],
      ["Alpe Lunga, fresh cheese in summer", 1795],
      ["Lago Scuro", 2120],
      ["Bivacco Tre Cime", 2090],
    ],
    [],
  );
  const months = [
    ["June", "patches", "shut"],
    ["July", "none", "open"],
    ["September", "none", "open"],
  ];
  return (
    <div className="page">
      <style>{styles}</style>
      <header>
        <h1>Sentiero delle Marmotte</h1>
        <p>
          A circular walk above <strong>Val Fiorita</strong>, marked in red and white.
        </p>
      </header>
      <main>
        <ul className="facts">
          <li>Length: 11.4 km</li>
          <li>Ascent: 640 m</li>
          <li>Time: 4 h 30 min</li>
        </ul>
        <h2>Waypoints</h2>
        <ol>
          {waypoints.map(([name, metres]) => (
            <Waypoint key={name} name={name} metres={metres} />
          ))}
        </ol>
        <h2>Good to know</h2>
        <table>
          <tbody>
            <tr>
              <th>Month</th>
              <th>Snow</th>
              <th>Hut</th>
            </tr>
            {months.map((row) => (
              <tr key={row[0]}>
                {row.map((text, column) => (
                  <td key={column}>{text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <p className="warning">Keep dogs on a lead: marmots live here.</p>
      </main>
    </div>
  );
}

export default TrailGuide;
