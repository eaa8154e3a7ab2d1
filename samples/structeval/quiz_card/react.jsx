import { useState, useEffect } from "react";

const QUESTION = {
  text: "Which river flows through Kraków?",
  answers: ["Oder", "Vistula", "Danube", "Warta"],
  correct: 1,
};

function Answer({ letter, text, state, onChoose }) {
  const colours = { correct: "#2e7d32", idle: "#ffffff" };
  return (
    <button
      onClick={onChoose}
      style={{
        display: "block", width: "100%", margin: "10px 0", padding: 14, fontSize: 20, textAlign: "left",
        border: "1px solid #ddd", borderRadius: 8, background: colours[state], color: state === "correct" ? "white" : "#222",
      }}
    >
      {letter}) {text}
    </button>
  );
}

export default function QuizCard() {
  const [chosen, setChosen] = useState(null);

  useEffect(() => {
    setChosen(QUESTION.correct);
  }, []);

  return (
    <div style={{ fontFamily: "Arial, sans-serif", width: 600, margin: "40px auto", border: "1px solid #bbb", borderRadius: 12, padding: 30 }}>
      <p style={{ color: "#555", fontSize: 18 }}>Question 3 of 10</p>
      <h1 style={{ fontSize: 30 }}>{QUESTION.text}</h1>
      {QUESTION.answers.map((text, index) => (
        <Answer
          key={text}
          letter={"ABCD"[index]}
          text={text}
          state={chosen === index ? "correct" : "idle"}
          onChoose={() => setChosen(index)}
        />
      ))}
      <p style={{ fontSize: 20 }}>
        {chosen === QUESTION.correct ? "Correct! 20 points" : "Choose an answer"}
      </p>
    </div>
  );
}
