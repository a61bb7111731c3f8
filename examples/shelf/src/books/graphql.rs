//! Books in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, MaybeUndefined, Object};

use trestle_api::{
    Connection, Input, MutationResult, Node as _, QueryResult, Revision, Session, Version, page,
    session,
};
use trestle_api::{mutations, naming_inputs};
use trestle_domain::{Bounded, Check, Id, List, Rule, Text, Violations};

use super::{Book, Condition, of_owner};

#[ComplexObject]
impl Book {
    /// Opaque and stable ID.
    pub async fn id(&self) -> ID {
        self.node_id()
    }
}

/// Queries for books.
#[derive(Default)]
pub struct BookQuery;

#[Object]
impl BookQuery {
    /// The viewer's books, by title.
    async fn books(&self, ctx: &Context<'_>) -> QueryResult<Connection<Book>> {
        let page = async { page(ctx, &of_owner(&session(ctx)?.user()), &()).await };
        Some(page.await)
    }
}

/// What a new book has.
#[derive(InputObject, Clone)]
pub struct CreateBookInput {
    /// A ULID for the book, so that the same input can be sent again. Defaults to a new one.
    book_id: Option<Input<Id<Book>>>,
    /// Title, 1 to 200 characters.
    title: Input<Text<1, 200>>,
    /// Number of pages.
    pages: Option<Input<Bounded<1, 100_000>>>,
    /// Condition of the copy.
    condition: Condition,
    /// Tags, at most 10.
    tags: Option<Input<List<Text<1, 40>, 10>>>,
}

/// A field that is left out keeps its value; `null` clears it.
#[derive(InputObject, Clone)]
pub struct UpdateBookInput {
    /// ID of the book.
    id: ID,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
    /// Title, 1 to 200 characters.
    title: MaybeUndefined<Input<Text<1, 200>>>,
    /// Number of pages.
    pages: MaybeUndefined<Input<Bounded<1, 100_000>>>,
    /// Condition of the copy.
    condition: MaybeUndefined<Condition>,
    /// Tags, at most 10.
    tags: MaybeUndefined<Input<List<Text<1, 40>, 10>>>,
    /// Name of the person who borrows it.
    lent_to: MaybeUndefined<Input<Text<1, 100>>>,
}

naming_inputs! {
    /// The book to delete.
    DeleteBookInput
}

/// One PutItem.
async fn create(session: &Session, input: CreateBookInput) -> MutationResult<Book> {
    let mut check = Check::default();
    let new = || Ok(Id::new(session.tables.now()));
    let book_id = check.need("bookId", input.book_id.map_or_else(new, Into::into));
    let title = check.need("title", input.title);
    let pages = check.may("pages", input.pages);
    let tags = check.may_or("tags", input.tags, List::default());
    let book = check.finish(|| {
        Some(Book {
            book_id: book_id?,
            owner_id: session.user(),
            title: title?,
            pages,
            condition: input.condition,
            tags,
            lent_to: None,
            stamp: Revision::new(session.now()),
        })
    })?;
    session.tables.create(book, |_| ()).await
}

/// One GetItem and one UpdateItem.
async fn update(session: &Session, input: UpdateBookInput) -> MutationResult<Book> {
    let id = Book::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let change = |book: &Book, _: &mut _| {
        let (mut next, input) = (of_viewer(book, session)?.clone(), input.clone());
        let mut check = Check::default();
        check.set("title", &mut next.title, input.title);
        check.set_opt("pages", &mut next.pages, input.pages);
        check.set("condition", &mut next.condition, input.condition);
        check.set("tags", &mut next.tags, input.tags);
        check.set_opt("lentTo", &mut next.lent_to, input.lent_to);
        check.finish(|| Some(next))
    };
    session
        .tables
        .change(&id, input.expected_version.map(u32::from), change)
        .await
}

/// One GetItem and one TransactWriteItems.
async fn delete(session: &Session, input: DeleteBookInput) -> MutationResult<Book> {
    let id = Book::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let check = |book: &Book, _: &mut _| of_viewer(book, session).map(drop);
    session
        .tables
        .delete(&id, input.expected_version.map(u32::from), check)
        .await
}

/// The book, if the viewer owns it. To everyone else it does not exist.
fn of_viewer<'b>(book: &'b Book, session: &Session) -> Result<&'b Book, Violations> {
    let missing = || Rule::NotFound("names nothing that exists").at("id");
    Some(book)
        .filter(|book| book.owner_id == session.user())
        .ok_or_else(missing)
}

mutations! {
    /// Mutations of books.
    BookMutation -> book: Book {
        /// Adds a book to the viewer's shelf.
        create_book(CreateBookInput) -> CreateBookPayload = create,
        /// Changes a book.
        update_book(UpdateBookInput) -> UpdateBookPayload = update,
        /// Deletes a book. Returns the deleted book.
        delete_book(DeleteBookInput) -> DeleteBookPayload = delete,
    }
}
