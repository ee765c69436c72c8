import { Mark } from "./mark";
import { ThemeToggle } from "./theme-toggle";

export function SiteHeader() {
  return (
    <header className="absolute inset-x-0 top-0 z-10 flex items-center justify-between px-4 py-4 sm:px-8 sm:py-6">
      <a href="/" className="wordmark">
        <Mark size={24} />
        Floodgate
      </a>
      <ThemeToggle />
    </header>
  );
}
