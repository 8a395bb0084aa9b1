import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { Readers, tellReading } from './reading.js';

const MINUTE = 60_000;

describe('collections that the processes of a system ask', () => {
  let bus: InProcessBus;
  let readers: Readers;
  let now: number;
  beforeEach(() => {
    now = 0;
    bus = new InProcessBus();
    readers = new Readers(bus, ['calls-v2'], () => now);
  });
  afterEach(() => readers.close());

  /** A process says what it asks. */
  async function tells(...collections: string[]): Promise<void> {
    const heard = new Promise<void>((resolve) => bus.listen('read-models.reading', () => resolve()));
    await tellReading(bus, collections).close();
    await heard;
  }

  it('are known after a minute, and each is forgotten a minute after it was last told', async () => {
    await tells('calls-v1');
    await tells('calls-v2');
    expect(readers.known()).toBeNull();
    now = MINUTE - 1;
    await tells('calls-v2');
    expect(readers.known()).toBeNull();
    now = MINUTE;
    expect(readers.known()).toEqual(new Set(['calls-v2']));
    await tells('calls-v1');
    expect(readers.known()).toEqual(new Set(['calls-v1', 'calls-v2']));
  });

  it('are not known while this process hears nothing of its own', async () => {
    now = MINUTE;
    await tells('calls-v1');
    expect(readers.known()).toBeNull();
  });
});
