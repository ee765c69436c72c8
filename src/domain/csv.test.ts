import { expect, it } from "vitest";
import { toCsv } from "./csv";

it("quotes every cell", () => {
  expect(
    toCsv([
      ["a", 'say "hi"', null],
      ["x,y", "two\nlines", ""],
    ]),
  ).toBe('"a","say ""hi""",""\r\n"x,y","two\nlines",""\r\n');
});

it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uff1dcmd", "\ufeff=1"])(
  "keeps a spreadsheet from running %j",
  text => {
    expect(toCsv([[text]])).toBe(`"'${text}"\r\n`);
  },
);

it("does not change ordinary text", () => {
  expect(toCsv([["alice=bob", "1-2", "{}"]])).toBe('"alice=bob","1-2","{}"\r\n');
});
