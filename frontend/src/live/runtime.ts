/** Runtime: runs ONNX files in WebAssembly, one thread. Large, so pages import it only when a model is live. */

import wasm from "onnxruntime-web/ort-wasm-simd-threaded.wasm";
import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";

import type { Decoder } from "./decoder";
import { fileAddress } from "./files";

env.wasm.numThreads = 1;
env.wasm.wasmPaths = { wasm: fileAddress(wasm) };
env.logLevel = "fatal";

/** Opens a decoder on this thread; its first output is what is shown. */
export async function decoderFrom(content: Uint8Array): Promise<Decoder> {
  const session = await InferenceSession.create(content, {
    executionProviders: ["wasm"],
    graphOptimizationLevel: "all",
  });
  const [input, output] = [session.inputNames[0] ?? "", session.outputNames[0] ?? ""];
  const shape = session.inputMetadata[0]?.isTensor ? session.inputMetadata[0].shape : [];
  return {
    nInputs: typeof shape[1] === "number" ? shape[1] : null,
    async decode(code) {
      const fed = new Tensor("float32", Float32Array.from(code), [1, code.length]);
      const made = (await session.run({ [input]: fed }, [output]))[output];
      const values = Float32Array.from(made?.data as Float32Array);
      made?.dispose();
      return values;
    },
    close: () => void session.release().catch(() => undefined),
  };
}
