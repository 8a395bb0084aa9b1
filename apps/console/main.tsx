import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.js';
import { sessionQuery } from './api/session.js';
import { applyLooks } from './components/look.js';
import { router } from './routes.js';
import './styles/index.css';

// Asked before the first drawing, which waits for it.
void queryClient.prefetchQuery(sessionQuery);
applyLooks();
createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
