/** Video: a film that cannot be skipped ahead where it must end, and evidence of what was played. */

import type { VideoParams, VideoResponse } from "../schema";
import { h } from "../shared/dom";
import { percent } from "../shared/notices";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { lastSaved } from "../shared/saved";
import { type Context, type Render, taskPlugin } from "../shared/task";
import { merged, type Range, shareOf } from "./video_ranges";

const SAVE_EVERY_S = 3;
const LEEWAY_S = 0.75;

const render: Render<VideoParams> = (shown, element, context, done) => {
  const { texts } = context;
  const { asset, transcript, captions, must_end: mustEnd } = shown.params;
  const before = savedRanges(context);
  const film = h("video", {
    src: context.media(asset),
    controls: true,
    preload: "auto",
    playsinline: true,
    controlslist: "nodownload noplaybackrate",
    "aria-label": texts.video.label,
  });
  if (captions) {
    const { language } = context;
    film.append(h("track", { kind: "captions", src: context.media(captions), srclang: language }));
  }
  let hasEnded = before.hasEnded;
  let hasFailed = false;
  let furthest = Math.max(0, ...before.ranges.map((range) => range[1]));
  let lastSaved = furthest;
  const watched = (part: number) => texts.video.watched(percent(part, context.language));
  const reading = h("p", { class: "hint" }, hasEnded ? watched(before.share) : mustEnd ? texts.video.must : "");
  const failure = h("p", { class: "fault", role: "alert", hidden: true }, texts.video.failed);
  const retry = h("button", { type: "button", class: "button", hidden: true, onclick: () => film.load() }, texts.retry);
  const ranges = () => merged([...before.ranges, ...playedIn(film)]);
  const share = () => (hasEnded && !Number.isFinite(film.duration) ? 1 : shareOf(ranges(), film.duration));
  const save = () => context.log("video_progress", { ranges: ranges(), has_ended: hasEnded, watched_share: share() });
  film.addEventListener("loadedmetadata", () => {
    failure.hidden = retry.hidden = true;
    hasFailed = false;
  });
  // A film without an index can only be moved within what has arrived, so the way back is tried until it holds.
  let isBack = furthest === 0;
  const goBack = () => {
    if (!isBack) film.currentTime = furthest;
  };
  for (const more of ["loadedmetadata", "canplaythrough", "suspend"]) film.addEventListener(more, goBack);
  film.addEventListener("seeked", () => {
    isBack ||= film.currentTime >= furthest - LEEWAY_S;
  });
  film.addEventListener("play", () => {
    isBack = true;
  });
  film.addEventListener("timeupdate", () => {
    if (film.seeking) return;
    context.touch();
    furthest = Math.max(furthest, film.currentTime);
    if (Math.abs(film.currentTime - lastSaved) < SAVE_EVERY_S) return;
    lastSaved = film.currentTime;
    save();
  });
  film.addEventListener("seeking", () => {
    if (mustEnd && !hasEnded && film.currentTime > furthest + LEEWAY_S) film.currentTime = furthest;
  });
  film.addEventListener("ratechange", () => {
    if (mustEnd && film.playbackRate !== 1) film.playbackRate = 1;
  });
  film.addEventListener("ended", () => {
    hasEnded = true;
    reading.textContent = watched(share());
    save();
  });
  film.addEventListener("error", () => {
    hasFailed = true;
    failure.hidden = retry.hidden = false;
  });
  const toggled = ({ target }: Event) => {
    if (target instanceof HTMLDetailsElement) context.log("transcript", { is_open: target.open });
  };
  const drawn = page(
    element,
    context,
    {
      heading: texts.video.heading,
      body: [
        h("div", { class: "film" }, film),
        reading,
        failure,
        retry,
        transcript
          ? h(
              "details",
              { open: before.isTranscriptOpen, ontoggle: toggled },
              h("summary", {}, texts.video.transcript),
              h("div", { class: "prose" }, ...prose(transcript)),
            )
          : null,
      ],
      answers: () => {
        if (!mustEnd || hasEnded || hasFailed) return { watched_share: share() } satisfies VideoResponse;
        drawn.tell(texts.video.notYet);
        return null;
      },
    },
    done,
  );
  return {
    press() {
      void film.play().catch(() => undefined);
      drawn.press();
    },
    cleanup: () => film.pause(),
  };
};

function playedIn(film: HTMLVideoElement): Range[] {
  return Array.from({ length: film.played.length }, (_, index) => [film.played.start(index), film.played.end(index)]);
}

interface Before {
  readonly ranges: Range[];
  readonly hasEnded: boolean;
  readonly share: number;
  readonly isTranscriptOpen: boolean;
}

function savedRanges(context: Context): Before {
  const before = lastSaved(context.saved, "video_progress");
  return {
    ranges: before?.ranges ?? [],
    hasEnded: before?.has_ended ?? false,
    share: before?.watched_share ?? 0,
    isTranscriptOpen: lastSaved(context.saved, "transcript")?.is_open ?? false,
  };
}

export default taskPlugin("video", "1", render);
