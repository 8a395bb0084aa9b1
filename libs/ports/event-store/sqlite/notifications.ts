import { BroadcastChannel } from 'node:worker_threads';
import { Pace } from '#primitives/waiting/pace.js';

/** Commits are announced to all threads of the process, by the types of their events: receivers read the log. */
const channelName = (logId: string): string => `anneal-log-${logId}`;

/** Each announcement wakes every thread that follows the log: under load, one announces several commits. */
const PER_SECOND = 50;
const BURST = 20;

interface Announcer {
  announce(types: Iterable<string>): void;
  close(): void;
}

export function announceCommits(logId: string): Announcer {
  const channel = new BroadcastChannel(channelName(logId));
  channel.unref();
  const pace = new Pace(PER_SECOND, BURST);
  const types = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    timer = undefined;
    if (types.size === 0) return;
    pace.step();
    channel.postMessage([...types]);
    types.clear();
  };
  return {
    announce(more) {
      for (const type of more) types.add(type);
      if (timer) return;
      const early = pace.next - performance.now();
      if (early > 0) timer = setTimeout(tell, early);
      else tell();
    },
    close() {
      clearTimeout(timer);
      tell();
      channel.close();
    },
  };
}

type Listener = (types: readonly string[]) => void;

/** Channels by log: each thread has one for a log, shared by all its listeners. */
const channels = new Map<string, { readonly channel: BroadcastChannel; readonly listeners: Set<Listener> }>();

/**
 * Calls the listener after commits, in any thread of the process that writes, with the types of the events.
 * @returns how to stop
 */
export function hearCommits(logId: string, listener: Listener): () => void {
  const { channel, listeners } = channels.get(logId) ?? open(logId);
  listeners.add(listener);
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    channels.delete(logId);
    channel.close();
  };
}

function open(logId: string) {
  const channel = new BroadcastChannel(channelName(logId));
  const listeners = new Set<Listener>();
  channel.onmessage = (message) => {
    const { data } = message as { data: readonly string[] };
    for (const listener of listeners) listener(data);
  };
  channel.unref();
  const opened = { channel, listeners };
  channels.set(logId, opened);
  return opened;
}
