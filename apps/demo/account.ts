import type { Client } from './client.js';
import type { DemoSystem } from './system.js';

interface NewKey {
  readonly id: string;
  readonly secret_key: string;
  readonly api_key_last_digits: string;
}

/** Signs in as the system's first user and creates an API key. */
export async function makeKey(
  anonymous: Client,
  { email, password }: Pick<DemoSystem, 'email' | 'password'>,
  name: string,
): Promise<NewKey> {
  const session = await anonymous.post<{ session_token: string }>('/auth/sign-in', { email, password });
  return anonymous.with(session.session_token).post<NewKey>('/create-api-key', { name });
}
