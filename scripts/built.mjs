/** Builds what is missing or older than its source. An installed package has no sources, and neither has it the compiler. */
export async function buildIfNeeded() {
  try {
    const { build } = await import('./build.mjs');
    const written = await build({ ifNeeded: true });
    if (written > 0) console.error(`built ${written} files`);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
}
