import { useEffect, useRef, useState } from 'react';
import type { Schema } from '../../api/client.js';
import type { Filters } from '../../components/use-filters.js';

type Event = Schema['EventRecord'];

/** Beyond this number, the list is reloaded instead of growing. */
const MAX_EVENTS = 500;
const SELECTING = ['stream', 'type', 'actor', 'correlation_id'] as const;

interface Options {
  readonly filters: Filters;
  readonly isOn: boolean;
  /** Position behind which it begins; none: with what happens from now on. */
  readonly after: string | undefined;
  readonly onFull: () => void;
}

/** Events as they happen, the newest first. The browser reconnects by itself, and continues after the last one. */
export function useLiveEvents({ filters, isOn, after, onFull }: Options): {
  readonly events: readonly Event[];
  readonly state: string;
} {
  const [events, setEvents] = useState<readonly Event[]>([]);
  const [isOpen, setOpen] = useState(false);
  const last = useRef<string | undefined>(undefined);
  const query = new URLSearchParams(
    SELECTING.flatMap((name) => (filters[name] ? [[name, filters[name]] as [string, string]] : [])),
  ).toString();
  useEffect(() => {
    setEvents([]);
    last.current = after;
  }, [query, after]);
  useEffect(() => {
    if (!isOn) return;
    const from = last.current ?? after;
    const source = new EventSource(`/events/live?${query}${from ? `&after=${from}` : ''}`);
    source.onopen = () => setOpen(true);
    source.onerror = () => setOpen(false);
    const go = ({ lastEventId }: MessageEvent): void => void (last.current = lastEventId || last.current);
    source.addEventListener('checkpoint', go);
    source.addEventListener('event', (message: MessageEvent<string>) => {
      go(message);
      const { event } = JSON.parse(message.data) as { readonly event: Event };
      setEvents((before) => [event, ...before]);
    });
    return () => {
      source.close();
      setOpen(false);
    };
  }, [isOn, query, after]);
  const isFull = events.length >= MAX_EVENTS;
  useEffect(() => {
    if (isFull) onFull();
  }, [isFull]);
  return { events, state: isOn ? (isOpen ? 'live' : 'connecting…') : 'paused' };
}
