// The console's key handling: a small state machine from keys to intents. It does no I/O.

import GameFlow
import Terminal
import Texts

struct ConsoleDialog {
    enum Mode: Equatable {
        /// A session is shown, and digits are its actions.
        case watching
        /// The payload of an action is being typed.
        case typing(AcceptedEvent, String)
        /// A line is being typed: an event's name, a session's name, or a command.
        case naming(String)
    }

    /// The user's intent.
    enum Intent: Equatable {
        case send(event: String, payload: String?)
        /// Another session: this one, or none, which is the list.
        case show(String?)
        case showNext, showPrevious
        case pauseOrResume
        /// Another session begins: the words after NEW.
        case begin([String])
        case end
    }

    /// Keys for actions and for the sessions of a list, in order. Letters are none: they begin a name.
    static let choices: [Character] = Array("123456789")
    /// The longest text that can be typed.
    static let maxLength = 1_000

    private(set) var mode = Mode.watching
    /// The last refusal. The caller sets it when it has performed an intent.
    var complaint: String?

    mutating func press(_ key: Key, seeing picture: ConsolePicture) -> Intent? {
        if key == .end { return .end }
        switch mode {
        case .watching: return choose(key, picture)
        case .typing(let action, let text): return type(key, action, text)
        case .naming(let text): return name(key, text, picture)
        }
    }

    /// The session has changed: the action being typed may have become impossible.
    mutating func update(for picture: ConsolePicture) {
        guard case .typing(let action, _) = mode else { return }
        guard case .session(let session, _) = picture, session.view.actions.contains(where: { $0.name == action.name }) else {
            mode = .watching
            complaint = "'\(action.name)' is no longer possible"
            return
        }
    }

    /// Whether text is being typed, with a cursor behind it.
    var isTyping: Bool { mode != .watching }

    // MARK: One key

    private mutating func choose(_ key: Key, _ picture: ConsolePicture) -> Intent? {
        switch (key, picture) {
        case (.tab, .session(_, true)): return .showNext
        case (.backTab, .session(_, true)): return .showPrevious
        case (.escape, .session): return .show(nil)
        case (.character(" "), .session): return .pauseOrResume
        case (.character("q"), _) where picture.endsAtOnce: return .end
        case (.character(let letter), _) where letter.isLetter || letter == "_" || letter == "@":
            (mode, complaint) = (.naming(String(letter)), nil)
            return nil
        case (.character(let digit), _): return pick(digit, picture)
        default: return nil
        }
    }

    private mutating func pick(_ digit: Character, _ picture: ConsolePicture) -> Intent? {
        guard let index = Self.choices.firstIndex(of: digit) else { return nil }
        switch picture {
        case .session(let session, _): return index < session.view.actions.count ? act(session.view.actions[index]) : nil
        case .list(let list): return index < list.lines.count ? .show(list.lines[index].name) : nil
        }
    }

    private mutating func act(_ action: AcceptedEvent) -> Intent? {
        guard action.payload != nil else { return .send(event: action.name, payload: nil) }
        (mode, complaint) = (.typing(action, ""), nil)
        return nil
    }

    // MARK: Typing

    private mutating func type(_ key: Key, _ action: AcceptedEvent, _ text: String) -> Intent? {
        switch key {
        case .backspace: mode = .typing(action, String(text.dropLast()))
        case .escape, .tab, .backTab: mode = .watching
        case .enter:
            mode = .watching
            return text.isEmpty ? nil : .send(event: action.name, payload: text)
        default: mode = .typing(action, Self.edited(text, key))
        }
        return nil
    }

    private mutating func name(_ key: Key, _ text: String, _ picture: ConsolePicture) -> Intent? {
        switch key {
        case .backspace:
            let rest = String(text.dropLast())
            mode = rest.isEmpty ? .watching : .naming(rest)
        case .escape, .clear: mode = .watching
        case .tab: mode = .naming(Self.completed(text, among: picture.names))
        case .enter:
            mode = .watching
            guard let intent = Intent(line: text, events: picture.events) else { return nil }
            return handle(intent, picture)
        default: mode = .naming(Self.edited(text, key))
        }
        return nil
    }

    private static func edited(_ text: String, _ key: Key) -> String {
        switch key {
        case .character(let letter): text.utf8.count < maxLength ? text + String(letter) : text
        case .clear: ""
        default: text
        }
    }

    private mutating func handle(_ intent: Intent, _ picture: ConsolePicture) -> Intent? {
        guard case .send(let event, nil) = intent else { return intent }
        switch picture {
        // On the list, the typed text is a session's name.
        case .list: return .show(event)
        case .session(let session, _):
            if let action = session.view.actions.first(where: { $0.name == event }) { return act(action) }
            return intent
        }
    }

    /// The beginning of a name, completed as far as all names agree that begin so.
    static func completed(_ beginning: String, among names: [String]) -> String {
        names.filter { $0.hasPrefix(beginning) }.commonPrefix ?? beginning
    }
}

extension ConsolePicture {
    /// Possible beginnings of a typed line: possible events, or names of sessions.
    fileprivate var names: [String] {
        switch self {
        case .session(let session, _): session.view.actions.map(\.name)
        case .list(let list): list.lines.map(\.name)
        }
    }

    /// Whether `q` leaves at once: nothing that could be typed here begins so.
    var endsAtOnce: Bool { !(events + names).contains { $0.hasPrefix("q") } }
}

// MARK: - A typed line: an event and its payload, or a word for the console itself

extension ConsoleDialog.Intent {
    /// `chooseEpisode 3`, `@room`, `list`. Nil for an empty line and a comment. `events` are those of the session that is shown: an event of that name
    /// comes before a word of the console.
    init?(line: String, events: [String]) {
        let words = line.split(maxSplits: 1, omittingEmptySubsequences: true) { $0.isWhitespace }
        guard let first = words.first.map(String.init), !first.hasPrefix("#") else { return nil }
        let rest = words.count > 1 ? words[1].trimmed : ""
        if first.hasPrefix("@") {
            self = .show(String(first.dropFirst()))
        } else if !events.contains(first), let own = Self.own(first.lowercased(), rest) {
            self = own
        } else {
            self = .send(event: first, payload: rest.isEmpty ? nil : rest)
        }
    }

    /// The console's own words; only `NEW` has others after it.
    private static func own(_ word: String, _ rest: String) -> Self? {
        if word == "new" { return .begin(rest.split(maxSplits: 2) { $0.isWhitespace }.map(String.init)) }
        guard rest.isEmpty else { return nil }
        switch word {
        case "q", "quit", "exit": return .end
        case "l", "list": return .show(nil)
        case "p", "pause", "resume": return .pauseOrResume
        default: return nil
        }
    }
}
