// The console's key handling: a small state machine from keys to intents. It does no I/O.

import GameFlow
import Terminal

struct ConsoleDialog {
    enum Mode: Equatable {
        /// A session is shown, and keys are its actions.
        case watching
        /// The payload of an action is being typed.
        case typing(AcceptedEvent, String)
    }

    /// What the user wants.
    enum Intent: Equatable {
        case send(event: String, payload: String?)
        /// Another session: this one, or none, which is the list.
        case show(String?)
        case showNext, showPrevious
        case pauseOrResume
        case end
    }

    /// Keys for actions and for the sessions of a list, in order; the missing letters have other meanings.
    static let choices: [Character] = Array("123456789abcdefghijkmnoqrtuvwxyz")
    /// The longest text that can be typed.
    static let longest = 1_000

    private(set) var mode = Mode.watching
    /// The last refusal.
    var complaint: String?

    mutating func press(_ key: Key, seeing picture: ConsolePicture) -> Intent? {
        if key == .end { return .end }
        switch mode {
        case .watching: return choose(key, picture)
        case .typing(let action, let text): return type(key, action, text)
        }
    }

    /// The session has changed: the action being typed may not be possible any more.
    mutating func follow(_ picture: ConsolePicture) {
        guard case .typing(let action, _) = mode else { return }
        guard case .session(let session, _) = picture, session.view.actions.contains(where: { $0.name == action.name }) else {
            mode = .watching
            complaint = "'\(action.name)' is not possible any more"
            return
        }
    }

    private mutating func choose(_ key: Key, _ picture: ConsolePicture) -> Intent? {
        switch (key, picture) {
        case (.tab, .session(_, true)): return moved(.showNext)
        case (.backTab, .session(_, true)): return moved(.showPrevious)
        case (.character("l"), .session): return moved(.show(nil))
        case (.character("p"), .session): return moved(.pauseOrResume)
        case (.character(let letter), .session(let session, _)): return act(letter, session.view.actions)
        case (.character(let letter), .list(let lines, _)):
            guard let index = Self.choices.firstIndex(of: letter), index < lines.count else { return nil }
            return moved(.show(lines[index].name))
        default: return nil
        }
    }

    private mutating func moved(_ intent: Intent) -> Intent {
        complaint = nil
        return intent
    }

    private mutating func act(_ letter: Character, _ actions: [AcceptedEvent]) -> Intent? {
        guard let index = Self.choices.firstIndex(of: letter), index < actions.count else { return nil }
        complaint = nil
        guard actions[index].payload != nil else { return .send(event: actions[index].name, payload: nil) }
        mode = .typing(actions[index], "")
        return nil
    }

    private mutating func type(_ key: Key, _ action: AcceptedEvent, _ text: String) -> Intent? {
        switch key {
        case .character(let letter) where text.utf8.count < Self.longest: mode = .typing(action, text + String(letter))
        case .backspace: mode = .typing(action, String(text.dropLast()))
        case .clear: mode = .typing(action, "")
        case .escape, .tab, .backTab: mode = .watching
        case .enter:
            mode = .watching
            return text.isEmpty ? nil : .send(event: action.name, payload: text)
        default: break
        }
        return nil
    }
}
