/** Looks of the watchdog within the time of silence. */
const LOOKS = 20;

/**
 * Calls `onSilence` once a process has not been heard for a time. It counts looks of its own timer instead of reading a clock, so that
 * a runner that was stopped, or on a machine that slept, does not take that time for silence of the process.
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
