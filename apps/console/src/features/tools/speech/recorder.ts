import processorUrl from './microphone.worklet.ts?worker&url';
import { encodeWav, joinBlocks, levelOf } from './wav.ts';

/** What speech recognition expects, whatever the microphone delivers. */
const SAMPLE_RATE = 16_000;

interface RecorderOptions {
  maxSeconds: number;
  /** Called for each block, several times per second. `level`: between 0 and 1. */
  onProgress: (seconds: number, level: number) => void;
}

/** Records the microphone as WAV. The formats of MediaRecorder are not supported by the provider. */
export class Recorder {
  private readonly blocks: Float32Array[] = [];
  private samples = 0;
  private readonly stream: MediaStream;
  private readonly context: AudioContext;

  private constructor(stream: MediaStream, context: AudioContext) {
    this.stream = stream;
    this.context = context;
  }

  /** Asks for the microphone. Throws the DOMException of the browser if there is none or it is not allowed. */
  static async start({ maxSeconds, onProgress }: RecorderOptions): Promise<Recorder> {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
    });
    const recorder = new Recorder(stream, new AudioContext());
    try {
      await recorder.listen(maxSeconds, onProgress);
      return recorder;
    } catch (error) {
      recorder.close();
      throw error;
    }
  }

  /** Ends the recording and returns it. */
  async stop(maxSeconds: number): Promise<Blob> {
    const { sampleRate } = this.context;
    this.close();
    const samples = joinBlocks(this.blocks, Math.floor(maxSeconds * sampleRate));
    return encodeWav(await resample(samples, sampleRate), SAMPLE_RATE);
  }

  /** Turns the microphone off. May be called again. */
  close(): void {
    for (const track of this.stream.getTracks()) track.stop();
    if (this.context.state !== 'closed') void this.context.close();
  }

  private async listen(maxSeconds: number, onProgress: RecorderOptions['onProgress']): Promise<void> {
    await this.context.audioWorklet.addModule(processorUrl);
    const processor = new AudioWorkletNode(this.context, 'microphone', { numberOfOutputs: 0 });
    processor.port.onmessage = ({ data }: MessageEvent<Float32Array>) => {
      this.blocks.push(data);
      this.samples += data.length;
      onProgress(Math.min(maxSeconds, this.samples / this.context.sampleRate), levelOf(data));
    };
    this.context.createMediaStreamSource(this.stream).connect(processor);
    await this.context.resume();
  }
}

/** The browser filters out what would be heard as noise at the lower rate. */
async function resample(samples: Float32Array<ArrayBuffer>, from: number): Promise<Float32Array> {
  const length = Math.floor((samples.length * SAMPLE_RATE) / from);
  if (length === 0) return new Float32Array();
  const context = new OfflineAudioContext(1, length, SAMPLE_RATE);
  const buffer = context.createBuffer(1, samples.length, from);
  buffer.copyToChannel(samples, 0);
  const source = context.createBufferSource();
  source.buffer = buffer;
  source.connect(context.destination);
  source.start();
  return (await context.startRendering()).getChannelData(0);
}
