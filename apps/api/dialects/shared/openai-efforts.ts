/** Groq and others name the effort that a model has without one; LiteLLM's for none is another word. */
export function effortOf(effort: unknown): unknown {
  if (effort === '' || effort === 'default' || effort === 'auto') return null;
  return effort === 'disable' ? 'none' : effort;
}
