/** Prints the usage if the command line asks for it: that needs no variable and no server. @returns whether it did */
export function printedHelp(usage: string, args = process.argv.slice(2), print = console.log): boolean {
  const isAsked = args.includes("--help") || args.includes("-h");
  if (isAsked) print(usage.trimEnd());
  return isAsked;
}
