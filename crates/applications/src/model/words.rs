//! Values that are one of a few, each with the word that people and the table write.

trestle_domain::string_enum! {
    /// The status of an application. Any status may follow any other.
    #[graphql(name = "ApplicationStatus")]
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
        /// Online trade.
        ECommerce = "e-commerce",
        /// Security of computers and networks.
        Cybersecurity = "cybersecurity",
        /// Games.
        Gaming = "gaming",
        /// Media and entertainment.
        MediaEntertainment = "media-entertainment",
        /// Consulting.
        Consulting = "consulting",
        /// Public administration.
        Government = "government",
        /// Non-profit organisations.
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

    /// The time that a salary is paid for.
    SalaryPeriod {
        /// A year.
        Year = "year",
        /// A month.
        Month = "month",
        /// A day.
        Day = "day",
        /// An hour.
        Hour = "hour",
    }

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
}
