import { comesWithCalls } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { EventToAppend } from '../../port.js';
import { Output } from './output.js';
import { shapeOf } from './shape.js';
import { MAX_SHAPE_ID, TAG } from './values.js';

/** The first byte of a packed event. */
export const PACKING = 1;
/** Times that a text is counted before the log keeps it once, for all events. */
const SEEN = 4;
const MAX_SEEN = 4_000;
/**
 * Values are counted in one event of so many: most texts are of one call, and would only be kept in memory. It is a prime, so that
 * events that come in turns are all counted.
 */
const COUNTED = 7;
/** Texts of more characters are not worth it. */
const MAX_TEXT = 200;
const MAX_KNOWN = 100_000;
const MAX_PLACES = 20_000;

/** A place within the shapes of events: where values, keys and ends lead to from here. */
class Place {
  readonly keys = new Map<string, Place>();
  object: Place | null = null;
  list: Place | null = null;
  item: Place | null = null;
  end: Place | null = null;
  /** Of an event that ends here. */
  shape: string | null = null;
  id: number | undefined;
}

/**
 * Turns events of calls into bytes: what is the same in most of them is a text of the log, to which they refer by its id. A text is
 * known only once it is stored, so that no event refers to one that is not. Texts stay for ever, unlike contents: only events
 * without any text by people are packed.
 */
export class Packer {
  private readonly known = new Map<string, number>();
  private seen = new Map<string, number>();
  private seenBefore: ReadonlyMap<string, number> = new Map();
  private wanted = new Set<string>();
  private readonly root = new Place();
  private places = 0;
  private events = 0;
  private fits = true;
  private readonly output = new Output();

  /** @returns null for an event that is stored as JSON; else its bytes, as characters, and at most so many characters of JSON */
  pack(event: EventToAppend): { readonly packed: string; readonly characters: number } | null {
    if (!isPackable(event)) return null;
    const { data, metadata } = event;
    const { output } = this;
    this.fits = true;
    this.events += 1;
    output.begin();
    output.byte(PACKING);
    output.shape(0);
    const end = this.walk(metadata as unknown as JsonObject, this.walk(data, this.root));
    if (!this.fits) return null;
    end.shape ??= shapeOf([data, metadata as unknown as JsonObject]);
    end.id ??= this.known.get(end.shape);
    if (end.id === undefined) this.see(end.shape);
    if (end.id === undefined || end.id >= MAX_SHAPE_ID) return null;
    output.shape(end.id);
    return { packed: output.packed, characters: output.characters + 2 * end.shape.length };
  }

  /** Texts that the log should keep; asking takes them. */
  takeWanted(): readonly string[] {
    if (this.wanted.size === 0) return [];
    const wanted = [...this.wanted];
    this.wanted.clear();
    return wanted;
  }

  /** Texts that the log has. */
  learn(texts: readonly string[], ids: readonly number[]): void {
    for (const [index, text] of texts.entries()) if (this.known.size < MAX_KNOWN) this.known.set(text, ids[index]!);
  }

  private walk(value: Json | undefined, from: Place): Place {
    if (typeof value !== 'object' || value === null) {
      this.single(value ?? null);
      return from;
    }
    if (Array.isArray(value)) {
      let place = (from.list ??= this.place());
      for (const each of value as readonly Json[]) place = this.walk(each, (place.item ??= this.place()));
      return (place.end ??= this.place());
    }
    let place = (from.object ??= this.place());
    for (const key in value as JsonObject) {
      const member = (value as JsonObject)[key];
      if (member !== undefined) place = this.walk(member, this.keyed(place, key));
    }
    return (place.end ??= this.place());
  }

  private keyed(from: Place, key: string): Place {
    const known = from.keys.get(key);
    if (known) return known;
    // Set on an object, it would be no member.
    if (key === '__proto__' || !key.isWellFormed()) this.fits = false;
    const place = this.place();
    if (this.fits) from.keys.set(key, place);
    return place;
  }

  private place(): Place {
    this.places += 1;
    if (this.places > MAX_PLACES) this.fits = false;
    return new Place();
  }

  private single(value: Json): void {
    const { output } = this;
    if (typeof value === 'string') {
      const id = this.known.get(value);
      if (id !== undefined) output.known(id, value);
      else if (!value.isWellFormed()) this.fits = false;
      else if (output.text(value) && this.events % COUNTED === 0 && value.length <= MAX_TEXT) this.see(value);
    } else if (typeof value === 'number' && Number.isFinite(value)) output.number(value);
    else {
      output.characters += 6;
      output.byte(value === true ? TAG.true : value === false ? TAG.false : TAG.null);
    }
  }

  /** Counts a text, of the last `MAX_SEEN` different ones or more. */
  private see(text: string): void {
    const count = (this.seen.get(text) ?? this.seenBefore.get(text) ?? 0) + 1;
    if (this.seen.size >= MAX_SEEN) {
      this.seenBefore = this.seen;
      this.seen = new Map();
    }
    this.seen.set(text, count);
    if (count >= SEEN && this.known.size < MAX_KNOWN) this.wanted.add(text);
  }
}

const isPackable = ({ type, data }: EventToAppend): boolean =>
  comesWithCalls(type) && (type !== 'call-content.v1' || data['sealed'] !== undefined);
