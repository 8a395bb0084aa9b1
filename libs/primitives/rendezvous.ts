import { hash } from 'node:crypto';

/**
 * All of some places, in the order in which a key tries them. By rendezvous hashing (highest random weight, Thaler and Ravishankar 1998):
 * everybody finds the same order, and when a place comes or goes, only the keys that are its own move.
 */
export function inOrderFor<Place>(
  key: string,
  places: readonly Place[],
  nameOf: (place: Place) => string,
): readonly Place[] {
  const weighed = places.map((place) => ({ place, weight: hash('sha1', `${key}\n${nameOf(place)}`) }));
  return weighed.sort((a, b) => (a.weight < b.weight ? 1 : -1)).map(({ place }) => place);
}
