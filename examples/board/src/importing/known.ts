// How people and other trackers head their columns, and what they write into them, as `trestle import` knows it.

import type { ApplicationStatus, JobSource, SalaryPeriod } from '../gql/graphql';
import type { FIELD_WORDS } from '../ui/words';

/** A field that a column can fill. `id` is the id that the row has here, as in a file that this page has saved. */
export type Target = keyof typeof FIELD_WORDS | 'id';

/**
 * The fields with the headers that people give them, and in the order in which the content of a row names them: both as
 * `trestle import` has them, so that a row is the same application to both.
 */
export const HEADERS: Record<Target, readonly string[]> = {
  companyName: ['companyname', 'company', 'employer', 'organization', 'organisation'],
  positionTitle: ['positiontitle', 'jobtitle', 'title', 'position', 'role', 'jobrole', 'job', 'rolename'],
  status: ['status', 'applicationstatus', 'currentstatus', 'stage', 'state', 'outcome'],
  dateApplied: ['dateapplied', 'applieddate', 'appliedon', 'applicationdate', 'datesubmitted', 'applied', 'date'],
  offerDueDate: ['offerduedate', 'offerdeadline', 'offerexpires', 'respondby'],
  companyUrl: ['companyurl', 'companywebsite', 'website', 'companysite', 'homepage'],
  jobPostingUrl: ['jobpostingurl', 'postingurl', 'joburl', 'jobposting', 'posting', 'joblink', 'applicationlink', 'applicationurl', 'applylink', 'url', 'link'],
  companyCareerUrl: ['companycareerurl', 'careerurl', 'careersurl', 'careerspage', 'careers'],
  companyCategory: ['companycategory', 'category', 'industry', 'sector'],
  jobSource: ['jobsource', 'source', 'foundvia', 'foundon', 'referral', 'howfound'],
  skillsMatch: ['skillsmatch', 'match', 'fit', 'rating', 'score'],
  coverLetterRequired: ['coverletterrequired', 'coverletter', 'coverletterneeded'],
  specialRequirements: ['specialrequirements', 'requirements'],
  notes: ['notes', 'note', 'comments', 'comment', 'remarks'],
  salaryMin: ['salarymin', 'minsalary', 'minimumsalary', 'salaryfrom', 'salarylow', 'salary', 'salaryrange', 'compensation', 'pay'],
  salaryMax: ['salarymax', 'maxsalary', 'maximumsalary', 'salaryto', 'salaryhigh'],
  nextAction: ['nextaction', 'nextstep', 'todo'],
  nextActionDate: ['nextactiondate', 'nextstepdate', 'followupdate', 'followup'],
  id: ['id'],
  salaryCurrency: [],
  salaryPeriod: [],
  location: [],
  isRemote: [],
  tags: [],
  postingText: [],
  closingDate: [],
};

/** Further headers, such as those of other trackers. The id that is made from a row's content does not depend on them. */
export const MORE: Partial<Record<Target, readonly string[]>> = {
  companyName: ['employername', 'hiringcompany'],
  positionTitle: ['jobposition', 'positionname'],
  status: ['list', 'jobstatus', 'applicationstage'],
  dateApplied: ['appliedat', 'dateofapplication', 'submittedat', 'submittedon', 'datesent'],
  jobPostingUrl: ['joblisting', 'joblistingurl', 'listingurl'],
  salaryCurrency: ['salarycurrency', 'currency', 'paycurrency'],
  salaryPeriod: ['salaryperiod', 'payperiod', 'paidper', 'payrate', 'salaryfor'],
  tags: ['tags', 'tag', 'labels', 'label', 'keywords'],
  location: ['location', 'joblocation', 'city', 'place'],
  isRemote: ['isremote', 'remote', 'workmode', 'worktype', 'workplacetype'],
  postingText: ['postingtext', 'jobdescription', 'jobpostingtext', 'jobad', 'description', 'textoftheposting'],
  closingDate: ['closingdate', 'applicationdeadline', 'applyby'],
};

/** What people write for a status beside its own words, as `trestle import` understands it. */
export const STATUSES_KNOWN: Record<ApplicationStatus, readonly string[]> = {
  UNSUBMITTED: ['notapplied', 'notstarted', 'wishlist', 'saved', 'bookmarked', 'draft', 'todo', 'interested', 'new', 'list', 'applying', 'readytoapply', 'planned', 'considering', 'researching'],
  APPLIED: ['submitted', 'sent', 'pending', 'inreview', 'underreview', 'waiting', 'active', 'applicationsent', 'applicationsubmitted', 'awaitingresponse', 'awaitingreply'],
  INTERVIEWING: ['interview', 'interviews', 'phonescreen', 'phoneinterview', 'screening', 'onsite', 'inprogress', 'assessment', 'technicalinterview', 'finalround', 'recruiterscreen', 'takehome', 'takehometest', 'takehomeassignment', 'firstinterview', 'stinterview', 'secondinterview', 'ndinterview', 'thirdinterview', 'rdinterview', 'finalinterview', 'onsiteinterview', 'technicalscreen'],
  GIVEN_OFFER: ['offers', 'offered', 'offerreceived', 'receivedoffer', 'offerextended', 'negotiating', 'negotiation'],
  ACCEPTED_OFFER: ['offeraccepted', 'hired', 'signed', 'iaccepted'],
  DECLINED_OFFER: ['offerdeclined', 'withdrawn', 'withdrew', 'iwithdrew', 'ideclined', 'applicationwithdrawn', 'withdrewapplication'],
  NO_OFFER: ['ghosted', 'noresponse', 'noreply'],
  REJECTED: ['rejection', 'denied', 'no', 'closed', 'notselected', 'turneddownbycompany', 'iwasrejected', 'unsuccessful', 'positionfilled', 'positionclosed'],
};

/** What people write for a source beside its own words. */
export const SOURCES_KNOWN: Record<JobSource, readonly string[]> = {
  COLLEAGUE: ['coworker', 'formercolleague'],
  COMPANY_WEBSITE: ['website', 'careerspage', 'careerpage', 'company'],
  FRIEND: ['referral', 'friends'],
  INDEED: [],
  LINKEDIN: [],
  OTHER: [],
  RECRUITER: ['headhunter', 'agency'],
};

/** What people write for the time that a salary is paid for. */
export const PERIODS_KNOWN: Record<SalaryPeriod, readonly string[]> = {
  YEAR: ['yearly', 'annual', 'annually', 'peryear', 'perannum', 'pa', 'yr'],
  MONTH: ['monthly', 'permonth', 'pm', 'mo'],
  DAY: ['daily', 'perday', 'dayrate'],
  HOUR: ['hourly', 'perhour', 'hr', 'ph'],
};
