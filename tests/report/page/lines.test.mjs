// Code by lines and tokens: nothing of it is lost, and what is equal stands side by side.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alignLines, commonOf, tokensOf } from "../../../src/helm_structext/report/page/lines.js";

test("texts are aligned line by line", () => {
  for (const [first, second, rows] of [
    ["a\nb\nc", "a\nx\nc", [["a", "a", true], ["b", "x", false], ["c", "c", true]]],
    ["a\nc", "a\nb\nc", [["a", "a", true], [null, "b", false], ["c", "c", true]]],
    ["a\nb", "b", [["a", null, false], ["b", "b", true]]],
    ["  a", "a", [["  a", "a", true]]],
    ["", "a\nb", [["", "a", false], [null, "b", false]]],
  ])
    assert.deepEqual(alignLines(first, second), rows);
});

test("the longest common subsequence is found", () => {
  const found = commonOf([..."xaybzc"], [..."abqc"]).map(([i]) => "xaybzc"[i]);
  assert.deepEqual(found, ["a", "b", "c"]);
  assert.deepEqual(commonOf([], ["a"]), []);
});

test("tokens hold all of a line, also of a long one, in every language", () => {
  for (const language of ["tex", "markup", "code", "unknown"])
    for (const line of [String.raw`\frac{1}{2} % half "a" <b c='d'>`, "x = 'a' // b", String.raw`\"`.repeat(5_000), "<".repeat(1_999), "a=".repeat(900), ""])
      assert.equal(tokensOf(line, language).map(([text]) => text).join(""), line);
  const kinds = tokensOf(String.raw`\frac{1} % half`, "tex").filter(([, kind]) => kind);
  assert.deepEqual(kinds, [[String.raw`\frac`, "name"], ["1", "number"], ["% half", "comment"]]);
});
