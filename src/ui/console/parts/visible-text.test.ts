import { expect, it } from "vitest";
import { visibleText } from "./visible-text";

it("shows what hides, and leaves every letter alone", () => {
  expect(visibleText("adm\u202ein\u200b\n")).toBe("adm⟨U+202E⟩in⟨U+200B⟩⟨U+000A⟩");
  expect(visibleText("Ελένη 李 👍")).toBe("Ελένη 李 👍");
});
