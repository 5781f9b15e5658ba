// Runs in the audio thread, which has no DOM and whose globals are not part of TypeScript's library.
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

const BLOCK_SAMPLES = 2_048;

/** Sends the samples of the microphone in blocks, because a message for each 128 of them would be too many. */
class MicrophoneProcessor extends AudioWorkletProcessor {
  private readonly block = new Float32Array(BLOCK_SAMPLES);
  private filled = 0;

  process([input]: Float32Array[][]): boolean {
    const samples = input?.[0];
    if (samples === undefined) return true;
    if (this.filled + samples.length > BLOCK_SAMPLES) {
      this.port.postMessage(this.block.slice(0, this.filled));
      this.filled = 0;
    }
    this.block.set(samples, this.filled);
    this.filled += samples.length;
    return true;
  }
}

registerProcessor('microphone', MicrophoneProcessor);
