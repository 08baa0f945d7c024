// What keys mean: a small machine between somebody's fingers and the daemon. It draws nothing and does nothing itself.

import GameFlow
import Terminal

struct ConsoleDialog {
    enum Mode: Equatable {
        /// A session is shown, and keys are its actions.
        case watching
        /// An action needs to know something first.
        case typing(AcceptedEvent, String)
    }

    /// What somebody wants.
    enum Intent: Equatable {
        case send(event: String, payload: String?)
        /// Another session: this one, or none, which is the list.
        case show(String?)
        case showNext, showPrevious
        case pauseOrResume
        case end
    }

    /// The keys of actions and of sessions in a list, in order; those left out have another meaning.
    static let choices: [Character] = Array("123456789abcdefghijkmnoqrtuvwxyz")
    /// The longest text that can be typed.
    static let longest = 1_000

    private(set) var mode = Mode.watching
    /// The last thing that was refused, in words.
    var complaint: String?

    mutating func press(_ key: Key, seeing picture: ConsolePicture) -> Intent? {
        if key == .end { return .end }
        switch mode {
        case .watching: return choose(key, picture)
        case .typing(let action, let text): return type(key, action, text)
        }
    }

    /// The session has moved on: what was being typed for it may not be wanted any more.
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
            guard let place = Self.choices.firstIndex(of: letter), place < lines.count else { return nil }
            return moved(.show(lines[place].name))
        default: return nil
        }
    }

    private mutating func moved(_ intent: Intent) -> Intent {
        complaint = nil
        return intent
    }

    private mutating func act(_ letter: Character, _ actions: [AcceptedEvent]) -> Intent? {
        guard let place = Self.choices.firstIndex(of: letter), place < actions.count else { return nil }
        complaint = nil
        guard actions[place].payload != nil else { return .send(event: actions[place].name, payload: nil) }
        mode = .typing(actions[place], "")
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
