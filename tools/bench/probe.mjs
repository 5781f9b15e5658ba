// Preloaded into the measured processes: reports their resource usage, and profiles them on demand.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { answer } from './child.mjs';

const session = new Session();

answer({
  async startProfile() {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  },
  async writeProfile(file) {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(file, JSON.stringify(profile));
    session.disconnect();
  },
});
