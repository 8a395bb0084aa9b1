import type { ReactElement } from 'react';

/** The letter A; its bar is a valley in which a ball has come to rest: what annealing and training look for. */
export const Logo = (): ReactElement => (
  <svg viewBox="0 0 32 32" width="22" height="22" fill="none" stroke="currentColor" aria-hidden>
    <path d="M4 27.5 16 4l12 23.5" strokeWidth="3.6" strokeLinecap="round" strokeLinejoin="round" />
    <path d="M8.6 18.6c3.4.2 3.2 7.4 7.4 7.4s4-7.2 7.4-7.4" strokeWidth="2.8" />
    <circle cx="16" cy="19.6" r="3.1" fill="currentColor" stroke="none" />
  </svg>
);
