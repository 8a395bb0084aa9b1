import { pullModel } from '#models/imported/index.js';
import { Hub } from '#models/hub/index.js';
import { openEgress } from '#primitives/egress/index.js';
import { filesIn, HubServer } from '#test/hub-server/index.js';

/** Offers the model of a folder on a scripted hub, with its weights in large-file storage, and pulls it from there. */
export async function pullFromHub(source: string, id: string, modelsDir: string): Promise<void> {
  const server = await HubServer.start();
  const egress = openEgress({ trusted: [server.url] });
  try {
    server.add('test/tiny', await filesIn(source), ['model.safetensors']).isModel = true;
    const asked = { from: 'test/tiny@main', id, licence: null, file: null, token: null };
    await Array.fromAsync(pullModel(asked, [modelsDir], new Hub(server.url, egress)));
  } finally {
    await egress.close();
    await server.close();
  }
}
