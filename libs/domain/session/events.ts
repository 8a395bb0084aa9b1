import type { EventsOf, EventTypes } from '../decider.js';

export type SignInMethod = 'password' | 'link' | 'provider';

/** Where a request came from. */
export type Origin = {
  /** A keyed hash of the address: the same for the same address under the same secret. */
  readonly address: string;
  /** The network of the address: /24 of IPv4, /48 of IPv6. */
  readonly network: string;
  /** As the program calls itself; null: it does not. */
  readonly agent: string | null;
};

export type RefusedSignIn = {
  readonly method: SignInMethod;
  /** `spent-link`: it was used before, or the password has changed since; `unverified-address`: the provider does not vouch for it. */
  readonly why: 'wrong-password' | 'not-admitted' | 'spent-link' | 'unverified-address';
  readonly origin: Origin;
};

type Person = { readonly userId: string; readonly workspaceId: string };
/** `sessionId` names a session, and does not open it. Absent from what began none. */
type OfSession = Person & { readonly sessionId: string };

export type SessionEvent = EventsOf<{
  /** A browser has a session of the user. */
  'signed-in.v1': OfSession & { readonly method: SignInMethod; readonly origin: Origin; readonly at: string };
  /** Somebody who named the user was not let in. Attempts beyond the limits are refused unseen. */
  'sign-in-refused.v1': Person & RefusedSignIn & { readonly at: string };
  /** `workspaceId` is the one that the session is in from now on. */
  'workspace-switched.v1': OfSession & { readonly at: string };
  'signed-out.v1': OfSession & { readonly at: string };
  /** A one-time link for the user to sign in with was made. */
  'sign-in-link-made.v1': Person & { readonly at: string };
  /** A key was used from this address by this program, for the first time in 90 days. */
  'key-origin-seen.v1': Person & { readonly keyId: string; readonly origin: Origin; readonly at: string };
}>;

export const SESSION_EVENT_TYPES: EventTypes<SessionEvent> = {
  'signed-in.v1': true,
  'sign-in-refused.v1': true,
  'workspace-switched.v1': true,
  'signed-out.v1': true,
  'sign-in-link-made.v1': true,
  'key-origin-seen.v1': true,
};
