/** Number of checks within the time of silence. */
const LOOKS = 20;

/** Starts watching a process. @param onSilence called once, when the process has been silent for too long */
export type Watch = (silenceMs: number, onSilence: () => void) => Pick<Watchdog, 'heard' | 'stop'>;

/**
 * Calls `onSilence` once a process has been silent for a time. It counts ticks of its own timer instead of reading a
 * clock, so that a suspended runner, or one on a machine that slept, does not mistake that time for silence of the
 * process.
 */
export class Watchdog {
  private readonly timer: NodeJS.Timeout;
  private silentLooks = 0;

  constructor(silenceMs: number, onSilence: () => void) {
    this.timer = setInterval(() => {
      this.silentLooks += 1;
      if (this.silentLooks < LOOKS) return;
      this.stop();
      onSilence();
    }, silenceMs / LOOKS);
  }

  heard(): void {
    this.silentLooks = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
