/** Words of the way through a study, in English: consent, parts, breaks, gates, feedback, stopping and every end. */

export const journey = {
  consent: {
    heading: "Before you begin",
    agree: "I agree",
    decline: "I do not agree",
    contact: "Questions? Contact",
    ask: "Would you like to take part?",
    facts: {
      institution: "Who runs the study",
      contact: "Who to contact",
      ethics: "Ethics approval",
      duration: "How long it takes",
      pay: "What you are paid",
      storage: "What happens to your data",
      withdrawal: "If you want to stop",
    },
    minutes: (n: string) => `About ${n} minutes.`,
    base: (amount: string) => `${amount} for taking part.`,
    bonusUpTo: (amount: string) => `Plus a bonus of up to ${amount}, depending on your answers.`,
    bonus: "Plus a bonus, depending on your answers.",
  },
  parts: {
    number: (n: number, of: number) => `Part ${n} of ${of}`,
    titled: (n: number, of: number, title: string) => (of === 1 ? title : `Part ${n} of ${of}: ${title}`),
    left: (minutes: number) =>
      minutes < 1
        ? "Less than a minute left"
        : minutes === 1
          ? "About one minute left"
          : `About ${minutes} minutes left`,
    size: (pages: number, minutes: number) =>
      `${pages === 1 ? "One page" : `${pages} pages`}, ${minutes < 1 ? "less than a minute" : minutes === 1 ? "about one minute" : `about ${minutes} minutes`}.`,
    next: {
      practice: ["Next: practice", "Your practice answers do not count."],
      learning: ["Next: examples", "Look at the examples at your own pace. Nothing here is scored."],
      main: ["A new part begins", "Please read the first page carefully. The questions may be different from now on."],
      other: ["A new part begins", "Please read the next page carefully."],
    } as Record<"practice" | "learning" | "main" | "other", [string, string]>,
    begin: "Begin this part",
    rest: "Take a break first",
    breakHeading: "You are on a break",
    breakText: (minutes: number) =>
      `The clock has stopped. Leave this page open and come back within ${minutes} minutes. We will keep your place until then.`,
    back: "End the break",
  },
  gate: {
    tries: (n: number) =>
      n === 1 ? "You have one try." : `You have ${n} tries. If an answer is wrong, you can read the pages again.`,
    unlimited: "You can try as often as you need.",
    wrong: "Your last answer to this question was not correct.",
    marked: (n: number) =>
      n === 1
        ? "One answer was not correct. The question is marked below."
        : `${n} answers were not correct. The questions are marked below.`,
    missed: "Not all of your answers were correct last time.",
    left: (n: number) => (n === 1 ? "This is your last try, so take your time." : `You have ${n} more tries.`),
    reread: (again: string) => `You can read the instructions again with the button “${again}” at the top.`,
  },
  again:
    "Not all of your answers to the check questions were correct. Please read this again. Then you can try once more.",
  feedback: {
    heading: "How you did",
    right: "Your answer is correct.",
    wrong: "Your answer is not correct.",
    lastRight: "Your last answer was correct.",
    lastWrong: "Your last answer was not correct.",
    next: "Continue",
    answerWas: (text: string) => `The correct answer was: ${text}.`,
    share: (right: number, of: number) => `In the last part, you answered ${right} of ${of} correctly.`,
    of: (n: string, of: string) => `${n} of ${of}`,
    none: "not available",
  },
  debrief: {
    heading: "What this study was about",
    contact: "Questions? Contact",
    withdraw: (stop: string, finish: string) =>
      `Changed your mind? You can still have your data erased: press “${stop}” at the top. With “${finish}”, the study ends and your answers are kept.`,
    next: "Finish",
  },
  menu: {
    stop: "Stop",
    heading: "Do you want to stop?",
    text: "You can stop at any time, without giving a reason. You can keep the answers you have given, or erase them for good.",
    stay: "Continue the study",
    keep: "Stop and keep my answers",
    keepText:
      "If you keep your answers, we will store them and may use them. You will receive a code that shows how far you got.",
    erase: "Stop and erase my data",
    sureHeading: "Erase everything you sent?",
    sureText:
      "This cannot be undone. Your answers will be deleted, and you will not be able to start this study again.",
    sureAgain: "This cannot be undone. Your answers will be deleted.",
    surePay:
      "You will not receive a completion code, so we cannot pay you. If you want to be paid for the part you did, choose to stop and keep your answers instead.",
    sure: "Yes, erase everything",
    unsure: "No, go back",
    failed: "That did not work. Please check your connection and try again.",
    guest: [
      "You can stop at any time: just close this page.",
      "You continued with an id alone, which does not prove that the first answers are yours. To have data erased, use the browser in which you began, or write to the people who run the study.",
    ],
  },
  tabs: {
    heading: "This study is open in another tab",
    text: "Only one tab can be used at a time. Your answers are safe.",
    here: "Continue here",
    moved: "You continued in another tab",
    movedText: "This tab is paused. You can close it, or come back to it.",
    lost: "Some of your answers were lost",
    lostText:
      "A fault on our side lost the last answers that you gave; we are sorry. You go on from the last page that we have, and see some pages again. The researchers are told.",
    lostAllText:
      "A fault on our side lost your answers; we are sorry. You can take part again from the beginning. The researchers are told. If you have a question about your pay, please write to them.",
  },
  preload: {
    heading: "Loading",
    text: "The next part is loading.",
    failed: (n: number) => (n === 1 ? "One file did not load." : `${n} files did not load.`),
    go: "Continue anyway",
  },
  still: {
    completedText: "You have reached the end. Your answers stay on this computer until you send them.",
    withdrewText: "Thank you for your time.",
    erasedText: "Nothing was sent, and your answers on this computer have been deleted.",
    file: "Please save your answers as a file. Then send the file as described in your invitation.",
    save: "Save my answers",
    saved: "Your answers are now a file in your downloads. Please send it as described in your invitation.",
    sending: "Your answers are being sent …",
    sent: "Your answers have been sent. You can close this window.",
    failed:
      "Your answers could not be sent. Try again, or save them as a file and send it as described in your invitation.",
    insecure: "This study only works at an address that starts with https. Please tell the person who invited you.",
  },
  ends: {
    completed: "Thank you!",
    completedText: "You have reached the end. Your answers are saved.",
    code: "Your completion code",
    copy: "Copy code",
    copied: "Copied",
    redirect: "Return to where you signed up",
    redirectText: "Please click the button to return, so that your work counts.",
    redirectEarly: "Please click the button to return, so that your session is closed. It does not count against you.",
    screened_out: "Thank you for your time",
    screenedWhy: "Some of the check questions were not answered correctly.",
    screenedBy: "The study ends here for you. Thank you for trying.",
    screenedText:
      "The study ends here for you. You did nothing wrong: we are looking for people who answered these questions in a particular way.",
    declined: "No problem",
    declinedText: "You decided not to take part.",
    close: "You can close this window.",
    withdrew: "You have stopped",
    withdrewText: "Thank you for your time. We keep the answers you have sent so far.",
    erased: "Your data has been erased",
    erasedText:
      "Everything you sent has been deleted. We only keep a note that somebody stopped. If each person can take part only once, we also keep a scrambled version of your id.",
    excluded: "Thank you for your time",
    excludedText: "The study ends here for you.",
    abandoned: "This session has expired",
    abandonedText: "You were away for a long time, so we gave your place to someone else.",
    unnamed: "This link is not complete",
    unnamedText:
      "The site where you found it did not add your id. Please go back and open the study from there, or contact the researchers.",
    advice: {
      prolific:
        "On Prolific, please return your submission: choose “Stop without completing” there. That does not count against you.",
      mturk: "On Mechanical Turk, please return the task. That does not count against you.",
      cloudresearch: "On CloudResearch, please return the study. That does not count against you.",
      sona: "In Sona, please cancel your sign-up or write to the researchers.",
    } as Record<string, string>,
    refusals: {
      full: ["All places are taken", "Thank you for your interest. The study has enough participants.", "unstarted"],
      link: [
        "This link does not open the study",
        "Please open the study with the personal link you were given, exactly as it was sent. If that does not work, write to the person who sent it to you.",
        "later",
      ],
      erased: [
        "You have erased your data",
        "You took part before and had your data deleted. You can only take part in this study once.",
        "erased",
      ],
      paused: [
        "The study is paused",
        "Nobody new can start right now. You can come back later with the same link.",
        "later",
      ],
      uninvited: [
        "This part is for people who took part before",
        "Only people who completed the first part can take this one. If you did, please use the link you were sent.",
        "unstarted",
      ],
      early: [
        "This part is not open for you yet",
        "Some time has to pass after the first part. Please come back later with the same link.",
        "later",
      ],
      late: [
        "This part is closed for you",
        "It was open for a limited time after the first part. Thank you for coming back.",
        "unstarted",
      ],
      known: [
        "This id has already taken part",
        "The link does not prove that it was you, so we show nothing here. If it was you, open the link in the browser in which you began: there you can continue, see your code, or have your data erased. If you no longer have it, or if it was not you, write to the people who run the study.",
        "known",
      ],
      repeat: [
        "You have already taken part",
        "You took part in a related study. Each person can take part only once.",
        "unstarted",
      ],
    } as Record<
      "full" | "link" | "erased" | "paused" | "uninvited" | "early" | "late" | "repeat" | "known",
      [string, string, "unstarted" | "later" | "erased" | "known"]
    >,
    copyData: "Download a copy of your data",
    copyFailed: "That did not work. Please try again in a minute.",
    contact: (contact: string) => `Write to: ${contact}`,
    goesOn: {
      locale: "en-GB",
      heading: "Continue where this id stopped?",
      text: (when: string, page: number, percent: number) =>
        `This study was begun with your id on ${when}. It continues on page ${page} (${percent}% done).`,
      notYou:
        "If you began it, you can continue. You will not see the answers that were given before. If it was not you, close this page and tell the people who invited you.",
      button: "Continue",
    },
    notLater: "If you do not want to come back:",
    otherwise: "Otherwise:",
    unpaid: {
      known: "What is paid depends on the session that was begun, which this page cannot show.",
      unstarted: "You have not started, so you do not receive a payment for this visit.",
      later: "You have not started yet, so there is no payment so far.",
      erased: "You do not receive a payment, because we no longer know what you did.",
      partly: "The researchers decide what they pay for the part you did.",
      ended: "You do not receive a payment.",
    },
    codeGoes: {
      along: "The button below takes the code along. Copy it in case the button does not work.",
      prolific: "Enter it on Prolific as your completion code, so that you can be paid.",
      mturk: "Enter it in the task on Mechanical Turk, so that you can be paid.",
      cloudresearch: "Enter it on CloudResearch, so that you can be paid.",
      sona: "Keep it, in case the researchers ask for it.",
      other:
        "Copy it and enter it where you signed up, or send it to the person who invited you. It shows that you took part.",
    } as Record<string, string> & { along: string; other: string },
    pay: (amount: string) => `You receive ${amount}.`,
    bonus: (base: string, bonus: string, total: string) =>
      `You receive ${base} and a bonus of ${bonus}: ${total} in total.`,
    error: "Something went wrong on our side",
    errorText: "Your answers are safe on this computer. Please try again in a moment.",
    unknownTask: "This page cannot be shown. Please contact the researchers.",
  },
};
