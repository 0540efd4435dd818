/** In-page halves of the topic `decode`: the page's own runtime, the dials of the real page, and TensorFlow.js. */

window.understudyBench = (() => {
  const share = (times, part) => [...times].sort((one, other) => one - other)[Math.min(times.length - 1, Math.floor(part * times.length))];
  const bytesOf = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

  /** Times decodes in rounds of five, since browsers round their clocks; returns milliseconds for each. */
  async function timed(decode, codes, nRounds) {
    for (const code of codes.slice(0, 20)) await decode(code);
    const times = [];
    for (let round = 0; round < nRounds; round += 1) {
      const start = performance.now();
      for (let k = 0; k < 5; k += 1) await decode(codes[(5 * round + k) % codes.length]);
      times.push((performance.now() - start) / 5);
    }
    return { median_ms: share(times, 0.5), p95_ms: share(times, 0.95), n: 5 * nRounds };
  }

  async function runtime({ packed, codes, nRounds }) {
    const script = performance.getEntriesByType("resource").map((one) => one.name).find((one) => /runtime-.*js$/.test(one));
    const { decoderFrom } = await import(script);
    const decoder = await decoderFrom(bytesOf(packed));
    const first = [...(await decoder.decode(codes[0]))];
    return { ...(await timed((code) => decoder.decode(code), codes, nRounds)), first };
  }

  /** Listens to the dials: from the event of a move to the task after the frame that shows it. */
  function watch() {
    const times = [];
    const gallery = document.querySelector(".gallery");
    addEventListener(
      "input",
      () => {
        const start = performance.now();
        const painted = () => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => times.push(performance.now() - start);
          requestAnimationFrame(() => port2.postMessage(0));
        };
        const drawn = new MutationObserver(() => {
          if (gallery.hasAttribute("aria-busy")) return;
          drawn.disconnect();
          painted();
        });
        drawn.observe(gallery, { attributes: true });
      },
      true,
    );
    window.understudyTimes = times;
  }

  const told = () => {
    const times = window.understudyTimes;
    return { median_ms: share(times, 0.5), p95_ms: share(times, 0.95), n: times.length };
  };

  /** Runs the operators of an ONNX graph with TensorFlow.js, pictures with channels last as it wants them. */
  function graphOf(tf, { nodes, held, input, output }) {
    const kept = {};
    for (const [name, { shape, packed }] of Object.entries(held)) kept[name] = tf.tensor(new Float32Array(bytesOf(packed).buffer), shape);
    const filters = {};
    for (const { op, inputs } of nodes) if (op === "ConvTranspose") filters[inputs[1]] = kept[inputs[1]].transpose([2, 3, 1, 0]);
    const run = {
      MatMul: ([a, b]) => tf.matMul(a, b), Add: ([a, b]) => tf.add(a, b), Sub: ([a, b]) => tf.sub(a, b), Mul: ([a, b]) => tf.mul(a, b),
      Less: ([a, b]) => tf.less(a, b), Where: ([a, b, c]) => tf.where(a, tf.broadcastTo(b, a.shape), tf.broadcastTo(c, a.shape)),
      Cast: ([a]) => tf.cast(a, "float32"), Sin: ([a]) => tf.sin(a), Relu: ([a]) => tf.relu(a), Sigmoid: ([a]) => tf.sigmoid(a), Tanh: ([a]) => tf.tanh(a),
      LeakyRelu: ([a], { alpha = 0.01 }) => tf.leakyRelu(a, alpha), Identity: ([a]) => a,
      Gemm: ([a, b, c], { transB = 0 }) => tf.add(tf.matMul(a, b, false, Boolean(transB)), c),
      Flatten: ([a]) => tf.reshape(a, [a.shape[0], -1]), Reshape: ([a], _, { shape }) => tf.reshape(a, shape),
      ConvTranspose([a, , c], { strides, kernel_shape }, { inputs }) {
        const [rows, columns] = [a.shape[2] * strides[0], a.shape[3] * strides[1]];
        const filter = filters[inputs[1]];
        const made = tf.conv2dTranspose(tf.transpose(a, [0, 2, 3, 1]), filter, [1, rows, columns, filter.shape[2]], strides, "same");
        return tf.transpose(c ? tf.add(made, c) : made, [0, 3, 1, 2]);
      },
    };
    return (code) =>
      tf.tidy(() => {
        const values = { ...kept, [input]: tf.tensor2d(code, [1, code.length]) };
        for (const node of nodes) {
          const given = node.inputs.map((name) => values[name]);
          if (node.op === "Split") tf.split(given[0], node.sizes, node.attributes.axis).forEach((one, place) => (values[node.outputs[place]] = one));
          else if (run[node.op]) values[node.outputs[0]] = run[node.op](given, node.attributes, node);
          else throw new Error(`TensorFlow.js is not told how to run ${node.op}`);
        }
        return values[output];
      });
  }

  async function tensorflow({ graph, codes, nRounds }) {
    const { tf } = window;
    tf.wasm.setWasmPaths("/peer/tfjs-backend-wasm/dist/");
    await tf.setBackend("wasm");
    await tf.ready();
    const run = graphOf(tf, graph);
    const decode = async (code) => {
      const made = run(code);
      const values = await made.data();
      made.dispose();
      return values;
    };
    const first = [...(await decode(codes[0]))];
    return { ...(await timed(decode, codes, nRounds)), first };
  }

  return { runtime, watch, told, tensorflow };
})();
