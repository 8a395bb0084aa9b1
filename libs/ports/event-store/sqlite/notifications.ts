import { BroadcastChannel } from 'node:worker_threads';

/** Commits are announced to all threads of the process. An announcement is empty: its receivers read the log. */
const channelName = (logId: string): string => `anneal-log-${logId}`;

interface Announcer {
  announce(): void;
  close(): void;
}

export function announceCommits(logId: string): Announcer {
  const channel = new BroadcastChannel(channelName(logId));
  channel.unref();
  return { announce: () => channel.postMessage(0), close: () => channel.close() };
}

/** Channels by log: each thread has one for a log, shared by all its listeners. */
const channels = new Map<string, { readonly channel: BroadcastChannel; readonly listeners: Set<() => void> }>();

/** Calls the listener after commits, in any thread of the process that writes. @returns how to stop */
export function hearCommits(logId: string, listener: () => void): () => void {
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
  const listeners = new Set<() => void>();
  channel.onmessage = () => {
    for (const listener of listeners) listener();
  };
  channel.unref();
  const opened = { channel, listeners };
  channels.set(logId, opened);
  return opened;
}
