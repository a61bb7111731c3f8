//! Values that are one of a few, each with the word that people and the table write.

macro_rules! words {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $type {
            /// Every value, in the order people think of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it, as people and the table write it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value that `word` stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.word() == word)
            }
        }
    };
}

words!(
    /// The status of an application. Any may follow any other: people correct mistakes.
    Status {
        /// Not submitted.
        Unsubmitted = "unsubmitted",
        /// Submitted, without an answer.
        Applied = "applied",
        /// Rejected by the company before an offer.
        Rejected = "rejected",
        /// In interviews.
        Interviewing = "interviewing",
        /// The company made an offer.
        GivenOffer = "given offer",
        /// The offer was accepted.
        AcceptedOffer = "accepted offer",
        /// The offer was declined.
        DeclinedOffer = "declined offer",
        /// Interviews ended without an offer.
        NoOffer = "no offer",
    }
);

words!(
    /// A field of business.
    CompanyCategory {
        /// Schools, universities, learning.
        Education = "education",
        /// Medicine and care.
        Health = "health",
        /// Climate and environment.
        Climate = "climate",
        /// Artificial intelligence.
        Ai = "ai",
        /// Energy.
        Energy = "energy",
        /// Banks, insurance, payments.
        Finance = "finance",
        /// Software for companies.
        EnterpriseSoftware = "enterprise-software",
        /// Technology for consumers.
        ConsumerTech = "consumer-tech",
        /// Selling over the internet.
        ECommerce = "e-commerce",
        /// Security of computers and networks.
        Cybersecurity = "cybersecurity",
        /// Games.
        Gaming = "gaming",
        /// Media and entertainment.
        MediaEntertainment = "media-entertainment",
        /// Advice to other companies.
        Consulting = "consulting",
        /// Public administration.
        Government = "government",
        /// Organisations that do not work for profit.
        Nonprofit = "nonprofit",
        /// Shops.
        Retail = "retail",
        /// Restaurants.
        Restaurant = "restaurant",
        /// Hotels and travel.
        Hospitality = "hospitality",
        /// Anything else.
        Other = "other",
    }
);

words!(
    /// How a person learned of a job.
    JobSource {
        /// A recruiter wrote or called.
        Recruiter = "recruiter",
        /// LinkedIn.
        Linkedin = "linkedin",
        /// Indeed.
        Indeed = "indeed",
        /// A friend.
        Friend = "friend",
        /// A colleague.
        Colleague = "colleague",
        /// The company's own website.
        CompanyWebsite = "company-website",
        /// Anything else.
        Other = "other",
    }
);
