// A problem of a chart as a whole, though each of its parts can be read.

struct Finding {
    enum Place: Equatable {
        case state(Int)
        case transition(Int)
        /// Of the catalogue.
        case event(Int)
    }

    var isError = false
    let place: Place
    let sentence: String
}
