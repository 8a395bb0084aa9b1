import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { requestOf, type Asked } from './request.js';

type Request = ReturnType<typeof requestOf>;

export interface Answered {
  readonly request: Request;
  readonly answer: Schema['EncoderInferenceResponse'] | Schema['DecoderInferenceResponse'];
}

/** Asks the model about a text once it has not changed for 300 ms. The same question is asked once. */
export function useAnswer(
  asked: Asked,
  text: string,
  threshold: number | null,
  enabled: boolean,
): UseQueryResult<Answered> {
  const question = useSettled(JSON.stringify(requestOf(asked, text, threshold)), 300);
  return useQuery({
    queryKey: ['answer', question],
    queryFn: async ({ signal }) => {
      const request = JSON.parse(question) as Request;
      return { request, answer: await body(api.POST('/inference', { body: request, signal })) };
    },
    enabled: enabled && (JSON.parse(question) as Request).text.trim() !== '',
    placeholderData: keepPreviousData,
    // Each call is recorded and counted: showing a tab again makes none.
    staleTime: Infinity,
    retry: false,
  });
}

function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
