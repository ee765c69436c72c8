/** Prints the usage if the command line asks for it: that needs no variable and no server. @returns whether it did */
export function printedHelp(usage: string): boolean {
  const args = process.argv.slice(2);
  const isAsked = args.includes("--help") || args.includes("-h");
  if (isAsked) console.log(usage.trimEnd());
  return isAsked;
}
