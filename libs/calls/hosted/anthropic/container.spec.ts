import type { JsonObject } from '#domain/json.js';
import { Dropped } from '../dropped.js';
import type { Provider } from '../providers.js';
import { markedContainer, withOwnContainer } from './container.js';

const named = (name: string) => ({ name }) as Provider;
const [ACME, OTHER] = [named('acme'), named('other')];

/** The container that a provider gets, and what the caller is told. */
function sent(container: JsonObject['x'], provider: Provider) {
  const dropped = new Dropped(false);
  const { container: own } = withOwnContainer({ model: 'm', container: container! }, provider, dropped);
  return [own, dropped.names];
}

describe("a container of a provider's answer", () => {
  const { container } = markedContainer({ container: { id: 'c.1', expires_at: 'soon' } }, ACME);
  const { id } = container as { id: string };
  const skills = [{ skill_id: 'pptx' }];

  it('goes back to this provider as it gave it', () => {
    expect(sent(id, ACME)).toEqual(['c.1', []]);
    expect(sent({ id, skills }, ACME)).toEqual([{ id: 'c.1', skills }, []]);
  });

  it('is dropped for another provider, and the caller is told', () => {
    expect(sent(id, OTHER)).toEqual([undefined, ['container.id']]);
    expect(sent({ id }, OTHER)).toEqual([undefined, ['container.id']]);
    expect(sent({ id, skills }, OTHER)).toEqual([{ skills }, ['container.id']]);
  });

  it('that no answer here had is sent as it is', () => {
    for (const own of ['container_011CZ', { id: 'container_011CZ' }, { skills }])
      expect(sent(own, OTHER)).toEqual([own, []]);
    expect(markedContainer({ container: { id: null } }, ACME)).toEqual({ container: { id: null } });
  });
});
