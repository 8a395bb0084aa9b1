import { MongoClient, type MongoClientOptions } from 'mongodb';

/** Options of an address that would change what an acknowledged write or a read means, in lower case. */
const DURABILITY: ReadonlySet<string> = new Set([
  ...['w', 'wtimeout', 'wtimeoutms', 'j', 'journal', 'fsync', 'ignoreundefined'],
  ...['readconcernlevel', 'readpreference', 'readpreferencetags', 'maxstalenessseconds'],
]);

/**
 * A client whose writes a majority of the servers holds once they are acknowledged, and whose reads see nothing else: a
 * change of primary loses neither what was written nor what was computed from it.
 * An address cannot change that; its other options, such as timeouts, win over the defaults.
 * @param replicatingMs after which a write fails that no majority holds; clearly shorter than the socket's silence, or
 * the driver would send it again instead of hearing why
 * @throws the driver's error for an address that it does not take
 */
export function durableClient(address: string, replicatingMs: number, defaults: MongoClientOptions): MongoClient {
  const at = address.indexOf('?');
  const place = at < 0 ? address : address.slice(0, at);
  const given = at < 0 ? [] : address.slice(at + 1).split('&');
  const kept = given.filter((option) => option !== '' && !DURABILITY.has(nameOf(option)));
  const names = new Set(kept.map(nameOf));
  return new MongoClient(kept.length === 0 ? place : `${place}?${kept.join('&')}`, {
    ...Object.fromEntries(Object.entries(defaults).filter(([name]) => !names.has(name.toLowerCase()))),
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: replicatingMs },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    ignoreUndefined: true,
  });
}

function nameOf(option: string): string {
  const name = option.split('=', 1)[0]!;
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    // The driver refuses it.
    return name.toLowerCase();
  }
}
