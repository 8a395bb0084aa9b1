import type { Json, JsonObject } from '#domain/json.js';
import { Output } from './output.js';
import { shapeOf } from './shape.js';
import { MAX_SHAPE_ID, TAG } from './values.js';

/** The first byte of what is packed. */
export const PACKING = 1;
const MAX_SEEN = 4_000;
/** Texts of more characters are not worth it. */
const MAX_TEXT = 200;
const MAX_KNOWN = 100_000;
const MAX_PLACES = 20_000;
/** Texts that were not known in a row, after which a place is looked at in the objects of which texts are counted only. */
const MAX_UNKNOWN = 100;

/** A place within shapes: where values, keys and ends lead to from here, and what is here. */
class Place {
  readonly keys = new Map<string, Place>();
  /** The last key here, and where it led. */
  key: string | null = null;
  next: Place | null = null;
  object: Place | null = null;
  list: Place | null = null;
  item: Place | null = null;
  end: Place | null = null;
  /** Whether the value is packed by itself, without texts that others share. */
  own = false;
  /** The last known text here and its id; how many others in a row were not known. */
  text: string | null = null;
  textId = 0;
  unknown = 0;
  /** Of what ends here. */
  shape: string | null = null;
  id: number | undefined;
}

/**
 * Turns objects into bytes: what is the same in most of them is a text that is kept once, to which they refer by its id. A text is
 * known only once it is stored, so that nothing refers to one that is not. Such texts stay for ever: none may be one by people.
 */
export class Packer {
  private readonly known = new Map<string, number>();
  private seen = new Map<string, number>();
  private seenBefore: ReadonlyMap<string, number> = new Map();
  private wanted = new Set<string>();
  private readonly root = new Place();
  private places = 0;
  private objects = 0;
  private fits = true;
  private readonly output = new Output();

  /**
   * @param counted how many times a text is counted before it should be kept, in one object of so many: most texts are of one thing,
   * and would only be kept in memory. A prime, so that objects that come in turns are all counted.
   * @param shared members of the objects, of which alone texts are kept; absent: of all. Others are packed by themselves.
   */
  constructor(
    private readonly counted: { readonly times: number; readonly oneOf: number },
    private readonly shared?: ReadonlySet<string>,
  ) {}

  /** @returns null for what is to be stored as JSON; else its bytes, until the next is packed, and at most so many characters of JSON */
  pack(objects: readonly JsonObject[]): { readonly bytes: Buffer; readonly characters: number } | null {
    const { output } = this;
    this.fits = true;
    this.objects += 1;
    output.begin();
    output.byte(PACKING);
    output.shape(0);
    let end = this.root;
    for (const object of objects) end = this.members(object, end, this.shared);
    if (!this.fits) return null;
    end.shape ??= shapeOf(objects.map((object) => this.shaped(object)));
    end.id ??= this.known.get(end.shape);
    if (end.id === undefined) this.see(end.shape);
    if (end.id === undefined || end.id >= MAX_SHAPE_ID) return null;
    output.shape(end.id);
    return { bytes: output.written, characters: output.characters + 2 * end.shape.length };
  }

  /** Texts that should be kept; asking takes them. */
  takeWanted(): readonly string[] {
    if (this.wanted.size === 0) return [];
    const wanted = [...this.wanted];
    this.wanted.clear();
    return wanted;
  }

  /** Texts that are kept. */
  learn(texts: readonly string[], ids: readonly number[]): void {
    for (const [index, text] of texts.entries()) if (this.known.size < MAX_KNOWN) this.known.set(text, ids[index]!);
  }

  private walk(value: Json | undefined, from: Place): Place {
    if (typeof value !== 'object' || value === null) {
      this.single(value ?? null, from);
      return from;
    }
    if (Array.isArray(value)) {
      let place = (from.list ??= this.place());
      for (const each of value as readonly Json[]) place = this.walk(each, (place.item ??= this.place()));
      return (place.end ??= this.place());
    }
    return this.members(value as JsonObject, from);
  }

  private members(object: JsonObject, from: Place, shared?: ReadonlySet<string>): Place {
    let place = (from.object ??= this.place());
    for (const key in object) {
      const member = object[key];
      if (member === undefined) continue;
      place = key === place.key ? place.next! : this.keyed(place, key, shared);
      if (place.own) this.own(member);
      else place = this.walk(member, place);
    }
    return (place.end ??= this.place());
  }

  /** An object without what its own members have. */
  private shaped(object: JsonObject): JsonObject {
    const { shared } = this;
    if (!shared) return object;
    return Object.fromEntries(
      Object.entries(object).map(([key, member]) => [key, member === undefined || shared.has(key) ? member : 0]),
    );
  }

  private keyed(from: Place, key: string, shared: ReadonlySet<string> | undefined): Place {
    // Set on an object, it would be no member.
    if (key === '__proto__' || !key.isWellFormed()) this.fits = false;
    const place = from.keys.get(key) ?? this.place();
    place.own = shared !== undefined && !shared.has(key);
    if (!this.fits) return place;
    from.keys.set(key, place);
    [from.key, from.next] = [key, place];
    return place;
  }

  private place(): Place {
    this.places += 1;
    if (this.places > MAX_PLACES) this.fits = false;
    return new Place();
  }

  /** Whatever a person may have written. */
  private own(value: Json): void {
    if (typeof value === 'object' && value !== null) this.output.json(JSON.stringify(value));
    else if (typeof value !== 'string') this.single(value, this.root);
    else if (value.isWellFormed()) this.output.text(value);
    else this.fits = false;
  }

  private single(value: Json, place: Place): void {
    const { output } = this;
    if (typeof value === 'string') {
      const id = this.idOf(value, place);
      if (id !== undefined) output.known(id, value);
      else if (!value.isWellFormed()) this.fits = false;
      else if (output.text(value) && this.objects % this.counted.oneOf === 0 && value.length <= MAX_TEXT)
        this.see(value);
    } else if (typeof value === 'number' && Number.isFinite(value)) output.number(value);
    else {
      output.characters += 6;
      output.byte(value === true ? TAG.true : value === false ? TAG.false : TAG.null);
    }
  }

  /** A look among all texts hashes the text. At most places it is the same one each time, or never known, such as an id of one thing. */
  private idOf(text: string, place: Place): number | undefined {
    if (text === place.text) return place.textId;
    if (place.unknown >= MAX_UNKNOWN && this.objects % this.counted.oneOf !== 0) return undefined;
    const id = this.known.get(text);
    if (id === undefined) place.unknown += 1;
    else [place.text, place.textId, place.unknown] = [text, id, 0];
    return id;
  }

  /** Counts a text, of the last `MAX_SEEN` different ones or more. */
  private see(text: string): void {
    const count = (this.seen.get(text) ?? this.seenBefore.get(text) ?? 0) + 1;
    if (this.seen.size >= MAX_SEEN) {
      this.seenBefore = this.seen;
      this.seen = new Map();
    }
    this.seen.set(text, count);
    if (count >= this.counted.times && this.known.size < MAX_KNOWN) this.wanted.add(text);
  }
}
