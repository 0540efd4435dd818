/** Voice: records in the blocks that the participant agreed to, shows that it does, and stops when they say so. */

import type { RecordingLost } from "../schema";
import { h } from "../shared/dom";
import type { PayloadOf } from "../shared/saved";
import type { Texts } from "../shared/texts";
import { type Chunk, Chunks } from "./chunks";
import type { StepState } from "./state";

const CHUNK_MS = 3000;
const BITS_PER_SECOND = 32_000;
const TYPES = ["audio/webm;codecs=opus", "audio/webm", "audio/mp4"];
const PAUSED_KEY = "understudy:voice-paused:";

export interface VoiceParts {
  readonly texts: Texts;
  readonly sessionId: string;
  /** Where the sign stands. */
  readonly place: HTMLElement;
  readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  at_ms(): number;
  log<A extends string>(action: A, payload: PayloadOf<A>): void;
  send(chunk: Chunk): Promise<void>;
}

/** One file under way. */
interface Part {
  readonly block: string;
  readonly started_ms: number;
  readonly recorder: MediaRecorder;
  nChunks: number;
}

export class Voice {
  #block: string | null = null;
  #part: Part | null = null;
  #isStarting = false;
  #isPaused: boolean;
  /** The microphone went away, or the server would take no more. */
  #hasFailed = false;
  /** Too much waits to be sent; recording goes on when it is gone. */
  #isFull = false;
  readonly #chunks: Chunks;
  readonly #words = h("span", { role: "status" });
  readonly #button = h("button", { type: "button", class: "button quiet", onclick: () => this.#press() });

  constructor(private readonly parts: VoiceParts) {
    this.#chunks = new Chunks((chunk) => parts.send(chunk), {
      refused: (chunk, reason) => this.#refuse(chunk, reason),
      emptied: () => {
        this.#isFull = false;
        this.#settle();
      },
    });
    this.#isPaused = parts.storage?.getItem(PAUSED_KEY + parts.sessionId) != null;
    parts.place.replaceChildren(h("span", { class: "dot", "aria-hidden": "true" }), this.#words, this.#button);
  }

  /** Records, or does not, as the step on the screen wants it; null when there is none any more. */
  follow(step: StepState | null): void {
    this.#block = step?.is_recorded ? step.trial.block_id : null;
    this.#settle();
  }

  /** Stops for good, after the end of a session. */
  end(): void {
    this.follow(null);
    this.parts.storage?.removeItem(PAUSED_KEY + this.parts.sessionId);
  }

  /** The block to record now; null when nothing may be. */
  get #wanted(): string | null {
    return this.#isPaused || this.#hasFailed || this.#isFull ? null : this.#block;
  }

  /** Pauses, or records again; a pause outlives a reload. */
  #press(): void {
    const { log, sessionId, storage } = this.parts;
    this.#isPaused = !(this.#isPaused || this.#hasFailed);
    this.#hasFailed = false;
    if (this.#isPaused) storage?.setItem(PAUSED_KEY + sessionId, "1");
    else storage?.removeItem(PAUSED_KEY + sessionId);
    log(this.#isPaused ? "recording_paused" : "recording_wanted", {});
    this.#settle();
  }

  /** Brings the recorder and the sign in line with what is wanted now. */
  #settle(): void {
    const wanted = this.#wanted;
    if (this.#part && this.#part.block !== wanted) this.#stop(this.#part);
    if (wanted !== null && !this.#part && !this.#isStarting) void this.#start(wanted);
    this.#show();
  }

  #show(): void {
    const { place: container, texts } = this.parts;
    container.hidden = this.#block === null;
    container.classList.toggle("is-on", this.#part !== null);
    const words = this.#part
      ? texts.voice.on
      : this.#isPaused
        ? texts.voice.paused
        : this.#isStarting
          ? texts.voice.starting
          : texts.voice.off;
    if (this.#words.textContent !== words) this.#words.textContent = words;
    this.#button.textContent = this.#isPaused || this.#hasFailed ? texts.voice.resume : texts.voice.pause;
  }

  async #start(block: string): Promise<void> {
    this.#isStarting = true;
    const stream = await microphone();
    this.#isStarting = false;
    if (stream && this.#wanted !== block) {
      release(stream);
      return this.#settle();
    }
    const type = TYPES.find(
      (mimeType) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(mimeType),
    );
    if (!stream || !type) {
      if (stream) release(stream);
      return this.#fail("no_microphone", {});
    }
    try {
      const recorder = new MediaRecorder(stream, { mimeType: type, audioBitsPerSecond: BITS_PER_SECOND });
      const part: Part = { block, started_ms: this.parts.at_ms(), recorder, nChunks: 0 };
      recorder.ondataavailable = (event) => this.#take(part, event.data);
      recorder.onstop = () => release(stream);
      recorder.onerror = () => this.#lose(part);
      for (const track of stream.getTracks()) track.onended = () => this.#lose(part);
      recorder.start(CHUNK_MS);
      this.#part = part;
      this.parts.log("recording_started", { started_ms: part.started_ms });
    } catch {
      release(stream);
      return this.#fail("no_recorder", {});
    }
    this.#settle();
  }

  #stop(part: Part): void {
    this.#part = null;
    this.parts.log("recording_stopped", { started_ms: part.started_ms });
    if (part.recorder.state !== "inactive") part.recorder.stop();
  }

  #take(part: Part, content: Blob): void {
    if (content.size === 0) return;
    part.nChunks += 1;
    const chunk = { block: part.block, started_ms: part.started_ms, number: part.nChunks, content };
    if (this.#isFull || this.#chunks.add(chunk)) return;
    this.#isFull = true;
    this.parts.log("recording_lost", { reason: "full", started_ms: part.started_ms });
    this.#settle();
  }

  /** The microphone was taken away while it recorded. */
  #lose(part: Part): void {
    if (this.#part !== part) return;
    this.#fail("microphone_gone", { started_ms: part.started_ms });
  }

  /** A part that is over may be refused while another goes on. */
  #refuse({ started_ms }: Chunk, said: string): void {
    if (this.#part?.started_ms === started_ms) this.#fail("refused", { started_ms, said });
    else this.parts.log("recording_lost", { reason: "refused", started_ms, said });
  }

  #fail(reason: string, more: Omit<RecordingLost, "reason">): void {
    this.#hasFailed = true;
    this.parts.log("recording_lost", { reason, ...more });
    this.#settle();
  }
}

async function microphone(): Promise<MediaStream | null> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch {
    return null;
  }
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
