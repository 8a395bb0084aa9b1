import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.js';
import { SESSION } from './session.js';

const signedOut = (error: Error): boolean => error instanceof ApiError && error.status === 401;

/** A session that has ended shows at once: the page asks to sign in, and stays where it is. */
const askToSignIn = (error: Error): void => {
  if (signedOut(error)) queryClient.setQueryData(SESSION, null);
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askToSignIn }),
  mutationCache: new MutationCache({ onError: askToSignIn }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The API's refusals are final; unavailability may pass.
      retry: (failures, error) => failures < 3 && (!(error instanceof ApiError) || error.status >= 502),
    },
  },
});
