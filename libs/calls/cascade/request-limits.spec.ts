import type { GenerationRequest } from '../hosted/port.js';
import { isChosen, isPlain, isWithin } from './request-limits.js';

const asks = (more: Partial<GenerationRequest>): GenerationRequest => ({ messages: [], ...more });
const label = { tool: null, text: 'billing' };
const call = { tool: 'route', text: '{"queue": "billing"}' };

describe('limits of a request to a student', () => {
  it('want the tool that is called', () => {
    for (const answer of [label, call])
      expect([isChosen(asks({}), answer), isChosen(asks({ toolChoice: 'auto' }), answer)]).toEqual([true, true]);
    expect(isChosen(asks({ toolChoice: 'required' }), label)).toBe(false);
    expect(isChosen(asks({ toolChoice: 'required' }), call)).toBe(true);
    expect(isChosen(asks({ toolChoice: { name: 'route' } }), call)).toBe(true);
    expect(isChosen(asks({ toolChoice: { name: 'escalate' } }), call)).toBe(false);
  });

  it('are kept by answers that would not be cut', () => {
    expect(isWithin(asks({ maxTokens: 1 }), call)).toBe(false);
    expect(isWithin(asks({ maxTokens: 100, stop: ['}'] }), call)).toBe(false);
    expect(isWithin(asks({ maxTokens: 100, stop: ['\n'] }), call)).toBe(true);
  });

  it('leave several answers, probabilities and no tool to the teacher', () => {
    for (const more of [{ choices: 2 }, { toolChoice: 'none' as const }]) expect(isPlain(asks(more))).toBe(false);
    expect(isPlain(asks({}))).toBe(true);
  });
});
