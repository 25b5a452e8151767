/** Windows of one browser, with a clock that a test advances. */
import type { SessionWindow } from "@gatehouse/web/client";
import { turns } from "../../_wait.ts";

/** A browser whose windows share a channel. */
export interface Browser {
  /** Opens a visible window. */
  open(): TestWindow;
  /** Lets time pass, and runs the timers that end in it. */
  advance(milliseconds: number): Promise<void>;
  /** The messages between windows. */
  readonly messages: unknown[];
}

/** A window whose visibility a test changes. */
export interface TestWindow extends SessionWindow, EventTarget {
  readonly document: EventTarget & { visibilityState: string };
  /** Hides or shows the window, with the event. */
  turn(visibilityState: "visible" | "hidden"): void;
}

interface Channel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** Starts a browser without windows. */
export function startBrowser(): Browser {
  const channels = new Set<Channel>();
  const messages: unknown[] = [];
  const timers = new Map<number, { end: number; callback(): void }>();
  let time = 0;
  let lastTimer = 0;
  class BroadcastChannel implements Channel {
    onmessage: Channel["onmessage"] = null;
    constructor() {
      channels.add(this);
    }
    postMessage(message: unknown) {
      messages.push(message);
      for (const channel of channels) {
        if (channel === this) continue;
        const event = new MessageEvent("message", { data: message });
        queueMicrotask(() => channel.onmessage?.(event));
      }
    }
    close() {
      channels.delete(this);
    }
  }
  function open(): TestWindow {
    const document = Object.assign(new EventTarget(), {
      visibilityState: "visible",
    });
    return Object.assign(new EventTarget(), {
      document,
      BroadcastChannel,
      performance: { now: () => time },
      setTimeout: (callback: () => void, delay: number) => {
        timers.set(++lastTimer, { callback, end: time + delay });
        return lastTimer;
      },
      clearTimeout(timer: number | undefined) {
        timers.delete(timer ?? 0);
      },
      turn(state: string) {
        document.visibilityState = state;
        document.dispatchEvent(new Event("visibilitychange"));
      },
    });
  }
  return { open, messages, advance };

  async function advance(milliseconds: number): Promise<void> {
    const end = time + milliseconds;
    for (;;) {
      await turns();
      const [next] = [...timers].sort(([, one], [, other]) =>
        one.end - other.end
      );
      if (!next || next[1].end > end) break;
      timers.delete(next[0]);
      time = Math.max(time, next[1].end);
      next[1].callback();
    }
    time = end;
    await turns();
  }
}
