"use client";

import { Command } from "cmdk";
import { CornerDownLeft } from "lucide-react";
import { useRouter } from "next/navigation";
import { useLayoutEffect, useRef, useState } from "react";
import { useRefusal } from "../session/session";
import { COMMANDS } from "./commands";
import { chooseTheme, readTheme } from "./console-theme";
import { NAV_GROUPS } from "./nav-items";

/** Every page and action by name. What the role may not do is listed too, with the reason. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const refusal = useRefusal();
  const ref = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");

  // In the layout phase: a dialog that is closed after it has left the page does not give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector("input")?.focus();
    return () => dialog?.close();
  }, []);

  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  const query = text.trim();

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same by keyboard.
    <dialog
      ref={ref}
      className="dialog palette"
      aria-label="Pages and actions"
      onCancel={onClose}
      onClick={event => event.target === ref.current && onClose()}
    >
      <Command label="Pages and actions" loop>
        <Command.Input value={text} onValueChange={setText} placeholder="Search pages and actions…" />
        <Command.List label="Results">
          <Command.Empty>No page or action matches.</Command.Empty>
          {NAV_GROUPS.map(group => (
            <Command.Group key={group.title} heading={group.title}>
              {group.items.map(({ href, title, icon: Icon, action, key }) => (
                <Item key={href} title={title} reason={refusal(action)} onSelect={() => go(href)}>
                  <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
                  <span className="grow">{title}</span>
                  {!refusal(action) && (
                    <span className="flex gap-1" aria-hidden="true">
                      <span className="kbd">g</span>
                      <span className="kbd">{key}</span>
                    </span>
                  )}
                </Item>
              ))}
            </Command.Group>
          ))}
          <Command.Group heading="Actions">
            {query.length >= 3 && (
              <Item
                title={`Trace the name ${query}`}
                reason={refusal("name.trace")}
                onSelect={() => go(`/console/trace?name=${encodeURIComponent(query)}`)}
              >
                <span className="grow">Trace the name “{query}”</span>
              </Item>
            )}
            {COMMANDS.map(({ title, action, href }) => (
              <Item key={title} title={title} reason={refusal(action)} onSelect={() => go(href)}>
                <span className="grow">{title}</span>
              </Item>
            ))}
            <Item
              title="Switch between light and dark"
              onSelect={() => {
                chooseTheme(readTheme() === "light" ? "dark" : "light");
                onClose();
              }}
            >
              <span className="grow">Switch between light and dark</span>
            </Item>
          </Command.Group>
        </Command.List>
      </Command>
    </dialog>
  );
}

type ItemProps = { title: string; reason?: string; onSelect: () => void; children: React.ReactNode };

function Item({ title, reason, onSelect, children }: ItemProps) {
  return (
    <Command.Item value={title} disabled={Boolean(reason)} onSelect={onSelect}>
      {children}
      {reason ? (
        <span className="text-right text-xs">{reason}</span>
      ) : (
        <CornerDownLeft size={14} aria-hidden="true" className="text-faint" />
      )}
    </Command.Item>
  );
}
